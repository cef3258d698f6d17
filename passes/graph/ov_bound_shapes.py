"""`ov-bound-shapes`: note how large every dynamic tensor can become, or refuse the program."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    ModuleOp,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.control_flow import IfOp, LoopOp
from loomir.dialects.ov.facts import Dim, Fact
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.transfer import layer_name
from loomir.passes.structured.convert_ov_loop_to_scf.signature import argument_bounds

BOUNDS = "loomir.bounds"


@dataclass(frozen=True)
class OvBoundShapesPass(ModulePass):
    """Annotate operations that have a result with a dynamic extent with `loomir.bounds`, for every result all
    largest extents that inference found. What is below GRAPH allocates by them.

    ```mlir
    %n = ov.minimum %len, %eight : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = ov.range %zero, %n, %one {output_type = i64} : … -> tensor<?xi64>
    ```
    becomes
    ```mlir
    %n = ov.minimum %len, %eight : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %r = ov.range %zero, %n, %one {output_type = i64, loomir.bounds = [array<i64: 8>]} : … -> tensor<?xi64>
    ```

    `max-trips` bounds the iterations of loops that nothing else bounds: one that goes on longer while it
    concatenates stops with a `capacity` error when it is run. Inputs of `main` take their bounds from
    `loomir.bounds` of the argument.

    Errors: `dynamic-input`, `unbounded-shape`, `unbounded-trips`, `unresolved-rank`.
    """

    name = "ov-bound-shapes"

    max_trips: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                inference = _BoundedInference(max_trips=self.max_trips)
                block = func.body.block
                for argument in block.args:
                    inference.facts[argument] = _argument_fact(func, argument)
                inference.run_block(block)
                _decide(func, inference)
                for inner in func.walk():
                    _annotate(inner, inference)


@dataclass
class _BoundedInference(Inference):
    """Inference that takes a limit for the trips of loops that have none."""

    max_trips: int | None = None

    def run_operation(self, op: Operation) -> None:
        super().run_operation(op)
        if not isinstance(op, LoopOp) or self.max_trips is None or trip_bounds(op, self).hi is not None:
            return
        for result, part, join in zip(op.concat, op.next.concat, op.concatenations):
            shape, whole = self.fact(part).shape, self.fact(result).shape
            if shape is None or whole is None:
                continue
            axis = join.normalised_axis(len(shape))
            limited = (shape[axis] * Dim(0, self.max_trips)).meet(whole[axis]) or whole[axis]
            self.facts[result] = Fact(self.fact(result).element, (*whole[:axis], limited, *whole[axis + 1 :]))


def _argument_fact(func: FuncOp, argument: BlockArgument) -> Fact:
    fact = Fact.of_type(argument.type)
    if fact.shape is None:
        raise Error(
            "unresolved-rank",
            f"the rank of input {argument.index} is not known",
            hint="give it a shape: shapes={name: […]} (--shape name=…)",
        )
    assert isinstance(argument.type, TensorType)
    bounds = argument_bounds(func, argument.index, argument.type)
    return Fact(fact.element, tuple(Dim(d.lo, b) for d, b in zip(fact.shape, bounds)))


def _decide(func: FuncOp, inference: Inference) -> None:
    """Make conditions and trip counts that inference knows constants: what never runs has no bounds, and needs none."""
    for op in func.walk():
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


def _annotate(op: Operation, inference: _BoundedInference) -> None:
    """Note the bounds of one operation's results; refuse values of its regions that have no rank."""
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                _require_rank(op, argument)
    dynamic = False
    table: list[DenseArrayBase] = []
    for number, result in enumerate(op.results):
        _require_rank(op, result)
        if not isinstance(result.type, TensorType):
            return
        dynamic |= DYNAMIC_INDEX in result.type.get_shape()
        table.append(DenseArrayBase.from_list(i64, _bounds(op, number, result, result.type, inference)))
    if dynamic:
        op.attributes[BOUNDS] = ArrayAttr(table)


MAX_EXTENT = 1 << 31
"""A larger bound is none: it comes from a counter's type, not from the program, and no buffer has that size."""


def _bounds(
    op: Operation, number: int, result: SSAValue, type_: TensorType, inference: _BoundedInference
) -> list[int]:
    declared = type_.get_shape()
    fact = inference.facts.get(result)
    if fact is None or fact.shape is None:
        # Not reached: the branch is never taken, so it needs no room.
        return [0 if d == DYNAMIC_INDEX else d for d in declared]
    bounds: list[int] = []
    for k, (extent, known) in enumerate(zip(declared, fact.shape)):
        if extent != DYNAMIC_INDEX:
            bounds.append(extent)
        elif known.hi is not None and known.hi <= MAX_EXTENT:
            bounds.append(known.hi)
        else:
            raise _unbounded(op, number, k, inference)
    return bounds


def _unbounded(op: Operation, number: int, dimension: int, inference: Inference) -> Error:
    which = f"dimension {dimension} of result {number}"
    if isinstance(op, LoopOp) and number >= len(op.final) + len(op.last):
        join = op.concatenations[number - len(op.final) - len(op.last)]
        rank = inference.fact(op.results[number]).rank or 1
        if join.normalised_axis(rank) == dimension and trip_bounds(op, inference).hi is None:
            return Error(
                "unbounded-trips",
                f"the loop concatenates ({which}), but nothing bounds how often it runs",
                layer=layer_name(op),
                op=op.name,
                hint="fix the input that decides it (values=, --value) or bound its shape (max_shapes=, --max-shape)",
            )
    return Error(
        "unbounded-shape",
        f"{which} has no upper bound",
        layer=layer_name(op),
        op=op.name,
        hint="give the model's inputs shapes (shapes=, --shape), largest shapes (max_shapes=, --max-shape) or values (values=, --value)",
    )


def _require_rank(op: Operation, value: SSAValue) -> None:
    if isinstance(value.type, UnrankedTensorType):
        raise Error(
            "unresolved-rank",
            "the rank of a value is not known before the program runs",
            layer=layer_name(op),
            op=op.name,
            hint="fix the inputs that decide it (shapes=, --shape, values=, --value)",
        )
