"""`ov-bound-shapes`: annotates dynamic tensors with upper bounds of their extents.

A program without such bounds is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    ModuleOp,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.attributes import Bounds, with_bounds
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import set_type, tensor_type_of
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import MAX_EXTENT, is_unbounded
from loomir.passes.analysis.lowering_requirements import CAPACITY, Guards
from loomir.passes.graph.ov_infer import remove_unreached, write_result_types
from loomir.passes.options import check_least
from loomir.passes.structured.convert_ov_loop_to_scf import argument_bounds


@dataclass(frozen=True)
class OvBoundShapesPass(ModulePass):
    """Adds the inferred bounds (`#ov.bounds`) to types with dynamic extents.

    The bounds are those of each extent, and that of the number of elements if it is less than their product. The levels
    below GRAPH allocate by them.

    ```mlir
    %n = ov.minimum %len, %eight : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = ov.range %zero, %n, %one {output_type = i64} : … -> tensor<?xi64>
    ```
    becomes
    ```mlir
    %n = ov.minimum %len, %eight : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = ov.range %zero, %n, %one {output_type = i64} : … -> tensor<?xi64, #ov.bounds<8>>
    ```

    `capacity=N` is the largest extent of everything that nothing else bounds: concatenated outputs of loops that run any
    number of times, carried values that grow, results whose extents are computed. The program then checks at run time that
    N is enough, and stops with a `capacity` error before it writes beyond it. `ov.check_bounds` returns the value that has
    the bounds, and all users of the original value read it (the length of a concatenated output is checked by the loop).
    `loomir.capacity = N` on the module states that N was used at all.

    ```mlir
    %y = ov.loop while(%go) carried(%x) : (tensor<i1>, tensor<1xf32>) -> (tensor<?xf32>) {
    ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
      %b = ov.concat %a, %r {axis = 0} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
      ov.next while(%more) carried(%b : tensor<?xf32>)
    }
    ```
    becomes with `capacity=8`
    ```mlir
    %y = ov.loop while(%go) carried(%x) : (tensor<i1>, tensor<1xf32>) -> (tensor<?xf32, #ov.bounds<8>>) {
    ^bb0(%i: tensor<i64>, %a: tensor<?xf32, #ov.bounds<8>>):
      %b = ov.concat %a, %r {axis = 0} : (tensor<?xf32, #ov.bounds<8>>, tensor<2xf32>) -> tensor<?xf32, #ov.bounds<10>>
      %c = ov.check_bounds %b : (tensor<?xf32, #ov.bounds<10>>) -> tensor<?xf32, #ov.bounds<8>>
      ov.next while(%more) carried(%c : tensor<?xf32, #ov.bounds<8>>)
    }
    ```
    Inputs of `main` take their bounds from `loomir.bounds` of the argument, never from the capacity. Bounds that types
    already have, and that inference does not find, are checked in the same way.

    Errors: `dynamic-input`, `unbounded-shape`, `unbounded-trips`, `unresolved-rank`, `bad-option`.
    """

    name = "ov-bound-shapes"
    EXACT = True

    capacity: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, capacity=1)
        if self.capacity is not None and self.capacity > MAX_EXTENT:
            raise Error("bad-option", f"{self.name}: capacity={self.capacity} must be at most {MAX_EXTENT}")
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks and not _is_static(func):
                inference = Inference(capacity=self.capacity)
                block = func.body.block
                for argument in block.args:
                    inference.facts[argument] = _argument_fact(func, argument)
                inference.run_block(block)
                _decide(func, inference)
                remove_unreached(inference)
                guards = Guards(inference)
                for inner in walk(func):
                    guards.plan(inner)
                for argument in block.args:
                    _note(argument, inference.fact(argument).size)
                operations = list(walk(func))
                for inner in operations:
                    _annotate(inner, inference, guards)
                for inner in operations:
                    guards.insert(inner)
                if guards.used_capacity:
                    op.attributes[CAPACITY] = IntegerAttr(self.capacity or 0, i64)
        write_result_types(op)


def _is_static(func: FuncOp) -> bool:
    """Return True if every value has a static shape.

    Most programs are static. They have nothing to bound and need no inference.
    """
    arguments = (
        a for op in walk(func) for region in op.regions for block in region.blocks for a in block.args
    )
    results = (result for op in walk(func) for result in op.results)
    return all(
        isinstance(value.type, TensorType) and value.type.has_static_shape()
        for value in chain(arguments, results)
    )


def _argument_fact(func: FuncOp, argument: BlockArgument) -> Fact:
    fact = Fact.of_type(argument.type)
    if fact.shape is None:
        raise Error(
            "unresolved-rank",
            f"the rank of input {argument.index} is not known",
            hint="give it a shape: shapes={name: […]} (--shape name=…)",
        )
    bounds = argument_bounds(func, argument.index, tensor_type_of(argument))
    return Fact(fact.element, tuple(Dim(d.lo, b) for d, b in zip(fact.shape, bounds)))


def _decide(func: FuncOp, inference: Inference) -> None:
    """Replace conditions and trip counts known to inference by constants.

    Operations that never run have no bounds, and need none.
    """
    for op in walk(func):
        if isinstance(op, IfOp):
            _make_constant(op, op.cond, inference)
        elif isinstance(op, LoopOp):
            _make_constant(op, op.cond, inference)
            _make_constant(op, op.trip, inference)


def _make_constant(op: Operation, value: SSAValue | None, inference: Inference) -> None:
    """Replace this operand by a constant where the value is known."""
    if value is None or isinstance(value.owner, ConstantOp):
        return
    fact = inference.facts.get(value)
    if fact is None or fact.value is None or op.parent is None:
        return
    constant = ConstantOp.of(fact.value)
    constant.location = op.location
    op.parent.insert_op_before(constant, op)
    op.operands[op.operands.index(value)] = constant.output


def _annotate(op: Operation, inference: Inference, guards: Guards) -> None:
    """Annotate an operation's results and region arguments with bounds.

    Values without a rank are refused.
    """
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                _require_rank(op, argument)
    for number, result in enumerate(op.results):
        _require_rank(op, result)
        if not isinstance(result.type, TensorType):
            return
        bounds = _bounds(op, number, result.type, inference)
        if bounds is not None:
            _note(result, guards.sure(result, bounds))
    if isinstance(op, LoopOp):
        for index, argument in enumerate(op.body.block.args):
            fact = inference.facts.get(argument)
            if fact is not None and fact.shape is not None:
                _note(argument, guards.outside(op, index - 1, fact.size))


def _note(value: SSAValue, bounds: Bounds[int | None]) -> None:
    if isinstance(value.type, TensorType):
        extents = [None if b is not None and b > MAX_EXTENT else b for b in bounds]
        set_type(value, with_bounds(value.type, Bounds(extents, bounds.elements)))


def _bounds(op: Operation, number: int, type_: TensorType, inference: Inference) -> Bounds[int | None] | None:
    """Return the bounds of a result.

    None if the branch around it is never taken. Errors: `unbounded-shape`, `unbounded-trips`.
    """
    declared = type_.get_shape()
    fact = inference.facts.get(op.results[number])
    if fact is None or fact.shape is None:
        return None
    bounds: list[int] = []
    for k, (extent, known) in enumerate(zip(declared, fact.shape)):
        if extent != DYNAMIC_INDEX:
            bounds.append(extent)
        elif known.hi is not None and not is_unbounded(known):
            bounds.append(known.hi)
        else:
            raise _unbounded(op, number, k, inference)
    return Bounds(bounds, fact.count)


def _unbounded(op: Operation, number: int, dimension: int, inference: Inference) -> Error:
    which = f"dimension {dimension} of result {number}"
    if isinstance(op, LoopOp) and number >= len(op.final) + len(op.last):
        join = op.concatenations[number - len(op.final) - len(op.last)]
        rank = inference.fact(op.results[number]).rank or 1
        if join.normalised_axis(rank) == dimension and trip_bounds(op, inference).hi is None:
            error = Error(
                "unbounded-trips",
                f"the loop concatenates ({which}), but its trip count has no bound",
                hint="fix the input that decides it (values=, --value), bound its shape (max_shapes=, --max-shape) "
                "or give a capacity (capacity=, --capacity)",
            )
            return located(error, op)
    error = Error(
        "unbounded-shape",
        f"{which} has no upper bound",
        hint="give the model's inputs shapes (shapes=, --shape), largest shapes (max_shapes=, --max-shape) or values "
        "(values=, --value), or give a capacity (capacity=, --capacity)",
    )
    return located(error, op)


def _require_rank(op: Operation, value: SSAValue) -> None:
    if isinstance(value.type, UnrankedTensorType):
        error = Error(
            "unresolved-rank",
            "the rank of a value is not known before the program runs",
            hint="fix the inputs that decide it (shapes=, --shape, values=, --value)",
        )
        raise located(error, op)
