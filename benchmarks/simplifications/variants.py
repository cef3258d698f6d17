"""Other forms of a row's program, made by a rule: nested in a loop in a branch, and with dynamic extents.

What the row asks is asked of them too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from simplifications.features import carried_by_nest
from simplifications.rows import Feed
from xdsl.builder import Builder, InsertPoint
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from loomir.dialects.element_types import dtype_of, f32, i1, i64, set_type, tensor_type_of
from loomir.dialects.interface import Entry, arguments_of, main_function, set_arguments
from loomir.dialects.ov.operators.comparison import GreaterOp, NotEqualOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import CONDITION_TYPE, TRIP_TYPE, IfOp, LoopOp, NextOp, YieldOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, BitwiseXorOp
from loomir.dialects.ov.operators.reduction import ReduceMaxOp

TAKEN, TRIPS = "nest.taken", "nest.trips"
"""The inputs of a nested program that its row does not have."""

NUMBER_TYPE = TensorType(f32, [])
LIMIT = 1000


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

    The loop carries a number, which an iteration adds to the inputs of floats, and which it makes from its results. So nothing of
    the row is invariant that was not, no iteration can be left out, and iterations need each other. Inputs of other types stay
    what they are, which only the run knows: they would change if the number were beyond a limit.
    """
    copy = module.clone()
    main = main_function(copy)
    entries, inputs = arguments_of(main), list(main.args)
    body = main.body.detach_block(0)
    outside = Block(arg_types=[a.type for a in inputs] + [CONDITION_TYPE, TRIP_TYPE])
    main.body.add_block(outside)
    *given, taken, trips = outside.args
    bits = body.insert_arg(TRIP_TYPE, 0)
    number = body.insert_arg(NUMBER_TYPE, 0)
    body.insert_arg(TRIP_TYPE, 0)
    builder = Builder(InsertPoint.at_start(body))
    for argument, value in zip(inputs, given):
        argument.replace_all_uses_with(_moved(builder, value, number, bits))
        body.erase_arg(argument)
    end = body.last_op
    assert end is not None
    results = list(end.operands)
    types = [value.type for value in results]
    end.detach()
    carried = carried_by_nest([argument.type for argument in given])
    if carried == 1:
        body.erase_arg(bits)
    following = _following(Builder(InsertPoint.at_end(body)), number, results)[:carried]
    body.add_op(NextOp.build(operands=[[], following, results, []]))
    first = [_number(0), ConstantOp.of(np.array(0))][:carried]
    loop = LoopOp.of(
        trip=trips,
        cond=None,
        carried=[op.results[0] for op in first],
        sliced=[],
        slices=[],
        concats=[],
        final_types=[NUMBER_TYPE, TRIP_TYPE][:carried],
        last_types=types,
        concat_types=[],
        body=Region(body),
    )
    zeros = [_zeros(t) for t in types]
    then = Block([*first, loop, YieldOp.build(operands=[loop.last])])
    otherwise = Block([*zeros, YieldOp.build(operands=[[z.results[0] for z in zeros]])])
    branch = IfOp.of(taken, types, Region(then), Region(otherwise))
    outside.add_op(branch)
    end.operands = branch.results
    outside.add_op(end)
    main.update_function_type()
    set_arguments(main, [*entries, Entry.of(name=TAKEN), Entry.of(name=TRIPS)])
    return copy


def _moved(builder: Builder, value: SSAValue, number: SSAValue, bits: SSAValue) -> SSAValue:
    """An input in one iteration: the number is added to floats; bits of integers, and booleans, would change."""
    element = tensor_type_of(value).element_type
    if isinstance(element, AnyFloat):
        return _inserted(builder, AddOp, value, _converted(builder, number, element))
    if element == i1:
        limit = builder.insert(_number(LIMIT)).results[0]
        return _inserted(builder, NotEqualOp, value, _inserted(builder, GreaterOp, number, limit, element=i1))
    return _inserted(builder, BitwiseXorOp, value, _converted(builder, bits, element))


def _following(builder: Builder, number: SSAValue, results: Sequence[SSAValue]) -> list[SSAValue]:
    """The number and the bits of the next iteration.

    The number grows by one, or by two where the greatest elements of the results sum up to more than 0; the bits are 0, or 1 where
    the number is beyond the limit.
    """
    total = zero = builder.insert(_number(0)).results[0]
    for result in results:
        greatest = _converted(builder, result, f32)
        if rank := tensor_type_of(result).get_num_dims():
            axes = builder.insert(ConstantOp.of(np.arange(rank))).results[0]
            op = ReduceMaxOp.build(operands=[greatest, axes], result_types=[NUMBER_TYPE])
            greatest = builder.insert(op).results[0]
        total = _inserted(builder, AddOp, total, greatest)
    one, limit = (builder.insert(_number(n)).results[0] for n in (1, LIMIT))
    more = _converted(builder, _inserted(builder, GreaterOp, total, zero, element=i1), f32)
    following = _inserted(builder, AddOp, _inserted(builder, AddOp, number, one), more)
    beyond = _inserted(builder, GreaterOp, following, limit, element=i1)
    return [following, _converted(builder, beyond, i64)]


def _inserted(
    builder: Builder, kind: type[IRDLOperation], a: SSAValue, b: SSAValue, element: Attribute | None = None
) -> SSAValue:
    """Insert an elementwise operation; the result has the shape of the first operand."""
    type_ = tensor_type_of(a)
    result = TensorType(element or type_.element_type, type_.get_shape())
    return builder.insert(kind.build(operands=[a, b], result_types=[result])).results[0]


def _converted(builder: Builder, value: SSAValue, element: Attribute) -> SSAValue:
    type_ = TensorType(element, tensor_type_of(value).get_shape())
    if type_ == value.type:
        return value
    op = ConvertOp.build(operands=[value], result_types=[type_], properties={"destination_type": element})
    return builder.insert(op).results[0]


def _number(value: int) -> ConstantOp:
    return ConstantOp.of(np.array(value, np.float32))


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
