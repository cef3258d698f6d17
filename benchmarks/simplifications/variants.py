"""Other forms of a row's program, made by a rule: nested in a loop in a branch, and with dynamic extents.

What the row asks is asked of them too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from simplifications.rows import Feed
from xdsl.builder import Builder, InsertPoint
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.element_types import dtype_of, set_type, tensor_type_of
from loomir.dialects.interface import Entry, arguments_of, main_function, set_arguments
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, TRIP_TYPE, IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp

TAKEN, TRIPS = "nest.taken", "nest.trips"
"""The inputs of a nested program that its row does not have."""


def with_dynamic_extents(module: ModuleOp) -> ModuleOp:
    """The program with inputs whose extents of two and more are open, and everything that follows from them."""
    copy = module.clone()
    for op in copy.walk():
        values: Sequence[SSAValue] = () if isinstance(op, ConstantOp) else op.results
        for value in (*values, *(a for region in op.regions for block in region.blocks for a in block.args)):
            set_type(value, _opened(value.type))
    main_function(copy).update_function_type()
    return copy


def _opened(type_: Attribute) -> Attribute:
    if not isinstance(type_, TensorType):
        return type_
    shape = [DYNAMIC_INDEX if extent > 1 else extent for extent in type_.get_shape()]
    return TensorType(type_.element_type, shape)


def nested(module: ModuleOp) -> ModuleOp:
    """The program as the body of a loop in one arm of a branch; the other arm gives zeros.

    Each iteration adds its number to the inputs of floats, so that nothing of the row is invariant that was not.
    """
    copy = module.clone()
    main = main_function(copy)
    entries, inputs = arguments_of(main), list(main.args)
    body = main.body.detach_block(0)
    outside = Block(arg_types=[a.type for a in inputs] + [CONDITION_TYPE, TRIP_TYPE])
    main.body.add_block(outside)
    *given, taken, trips = outside.args
    iteration = body.insert_arg(TRIP_TYPE, 0)
    builder = Builder(InsertPoint.at_start(body))
    for argument, value in zip(inputs, given):
        argument.replace_all_uses_with(_moved(builder, value, iteration))
        body.erase_arg(argument)
    end = body.last_op
    assert end is not None
    results = list(end.operands)
    types = [value.type for value in results]
    end.detach()
    body.add_op(NextOp.build(operands=[[], [], results, []]))
    loop = LoopOp.of(
        trip=trips,
        cond=None,
        carried=[],
        sliced=[],
        slices=[],
        concats=[],
        final_types=[],
        last_types=types,
        concat_types=[],
        body=Region(body),
    )
    zeros = [_zeros(t) for t in types]
    then = Block([loop, YieldOp.build(operands=[loop.results])])
    otherwise = Block([*zeros, YieldOp.build(operands=[[z.results[0] for z in zeros]])])
    branch = IfOp.of(taken, types, Region(then), Region(otherwise))
    outside.add_op(branch)
    end.operands = branch.results
    outside.add_op(end)
    main.update_function_type()
    set_arguments(main, [*entries, Entry.of(name=TAKEN), Entry.of(name=TRIPS)])
    return copy


def _moved(builder: Builder, value: SSAValue, iteration: SSAValue) -> SSAValue:
    """An input in one iteration: the iteration's number is added to floats."""
    element = tensor_type_of(value).element_type
    if not isinstance(element, AnyFloat):
        return value
    number = ConvertOp.build(
        operands=[iteration],
        result_types=[TensorType(element, [])],
        properties={"destination_type": element},
    )
    moved = AddOp.build(operands=[value, number.results[0]], result_types=[value.type])
    for op in (number, moved):
        builder.insert(op)
    return moved.results[0]


def _zeros(type_: Attribute) -> ConstantOp:
    """Zeros of a type; an extent that is open is 0."""
    assert isinstance(type_, TensorType)
    shape = [max(extent, 0) for extent in type_.get_shape()]
    return ConstantOp.of(np.zeros(shape, dtype_of(type_.element_type)))


def nested_feeds(module: ModuleOp, feeds: Sequence[Feed]) -> list[Feed]:
    """Feeds for `nested` of a program: the branch is taken with each feed and two iterations; once with none, and once it is not.

    After no iteration a last value has zeros for the extents that are known of it: the passes may know more. Programs with an open
    result are not asked.
    """
    first = feeds[0]
    results = [tensor_type_of(value) for value in _end(module).operands]

    def extended(feed: Feed, taken: bool, trips: int) -> Feed:
        return {**feed, TAKEN: np.array(taken), TRIPS: np.array(trips, np.int64)}

    none = [extended(first, True, 0)] if all(t.has_static_shape() for t in results) else []
    return [*(extended(feed, True, 2) for feed in feeds), *none, extended(first, False, 2)]


def _end(module: ModuleOp) -> Operation:
    end = main_function(module).body.block.last_op
    assert end is not None
    return end
