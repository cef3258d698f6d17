"""Rules of docs/ir.md for STRUCTURED and LOOPS, beyond the legal operations."""

from __future__ import annotations

from xdsl.dialects import arith, cf, memref, scf, tensor, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    ShapedType,
    StridedLayoutAttr,
    TensorType,
    VectorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.stages.operations import refusal
from loomir.dialects import quads
from loomir.dialects.diagnostics import KINDS, split_message
from loomir.dialects.element_types import memref_type_of, shaped_type_of
from loomir.dialects.interface import arguments_of
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import STORES, MaskedSelectOp, buffer_of, lane_type, last_stride_is_one
from loomir.passes.analysis.aliasing import Aliasing

_OF_KIND = NUMBERS | {
    arith.SelectOp,
    MaskedSelectOp,
    memref.LoadOp,
    memref.CastOp,
    memref.ExpandShapeOp,
    memref.CollapseShapeOp,
    vector.LoadOp,
    vector.BroadcastOp,
    scf.YieldOp,
    scf.ConditionOp,
    ReturnOp,
}
"""Operations of LOOPS whose validity depends on their types alone."""

# ----- STRUCTURED -------------------------------------------------------------------------------------------


def check_structured(main: FuncOp, kinds: list[Operation]) -> None:
    """Check the rules of STRUCTURED.

    The rules are static values across regions, scalars instead of rank 0, and the permitted forms of each operation.
    `kinds`: one of each kind.
    """
    boundary(main, [*main.function_type.inputs.data, *main.function_type.outputs.data])
    _check_blobs(main, TensorType)
    for op in kinds:
        for result in op.results:
            if isinstance(result.type, TensorType) and not result.type.get_shape():
                raise refusal(op, "a tensor of rank 0: such a value is a scalar here")
        _check_scalar(op, (TensorType,))
    for op in walk(main.body):
        if type(op) in NUMBERS:
            continue
        match op:
            case _ if region_flow(op) is not None:
                boundary(op, _region_types(op))
                _check_step(op)
            case tensor.EmptyOp():
                if op.dynamic_sizes:
                    raise refusal(op, "a dynamic tensor.empty: only capacities are allocated")
            case tensor.ExtractSliceOp():
                _check_slice(op, op.static_strides.get_values(), op.source, op.result)
            case tensor.InsertSliceOp():
                _check_slice(op, op.static_strides.get_values(), op.source, op.dest)
            case tensor.PadOp():
                _check_pad(op)
            case linalg.GenericOp():
                _check_generic(op)
            case cf.AssertOp():
                _check_assert(op)
            case _:
                pass


def boundary(op: Operation, types: list[Attribute]) -> None:
    """Check types of values that cross a region or function boundary.

    They are scalars and static tensors of rank 1 and more.
    """
    for t in types:
        if isinstance(t, TensorType):
            if DYNAMIC_INDEX in t.get_shape():
                raise refusal(
                    op, f"{t} crosses a region or function: a dynamic value crosses as its flat capacity"
                )
            if not t.get_shape():
                raise refusal(op, f"{t} crosses a region or function: a rank-0 value is a scalar")


def _check_slice(op: Operation, strides: tuple[int, ...], small: SSAValue, large: SSAValue) -> None:
    if len(shaped_type_of(small).get_shape()) != len(shaped_type_of(large).get_shape()):
        raise refusal(op, "a rank-reducing slice")
    if any(s != DYNAMIC_INDEX and s <= 0 for s in strides):
        raise refusal(op, f"the strides {list(strides)}: a slice's strides are positive")


def _check_pad(op: tensor.PadOp) -> None:
    block = op.region.block
    end = block.last_op
    if end is None or block.first_op is not end:
        raise refusal(op, "a body that computes: it may only yield a value from outside")
    if any(v in block.args for v in end.operands):
        raise refusal(op, "a body that yields its own argument")


def _check_generic(op: linalg.GenericOp) -> None:
    if not op.outputs:
        raise refusal(op, "no output")
    if len(op.res) != len(op.outputs):
        raise refusal(op, f"{len(op.outputs)} outputs but {len(op.res)} results")
    for inner in walk(op.body):
        dialect = inner.name.partition(".")[0]
        if dialect in ("arith", "math"):
            continue
        if not isinstance(inner, linalg.IndexOp | linalg.YieldOp | tensor.ExtractOp | scf.IfOp | scf.YieldOp):
            raise refusal(inner, "not an operation for the body of a linalg.generic")


# ----- LOOPS ------------------------------------------------------------------------------------------------


def check_loops(main: FuncOp, kinds: list[Operation]) -> None:
    """Check the rules of LOOPS.

    The rules are static buffers allocated at entry, identity layouts across regions, and no writes to inputs and blobs.
    `kinds`: one of each kind.
    """
    buffer_boundary(main, list(main.function_type.inputs.data))
    for t in (*main.function_type.inputs.data, *main.function_type.outputs.data):
        if isinstance(t, VectorType):
            raise refusal(main, f"takes or returns {t}: vectors cannot cross the interface of a program")
    for t in main.function_type.outputs.data:
        if isinstance(t, MemRefType):
            raise refusal(main, f"returns {t}: a buffer result is an argument with the role output")
    _check_blobs(main, MemRefType)
    entry = main.body.block
    arenas = [a for a, said in zip(entry.args, arguments_of(main)) if said.role == "arena"]
    if len(arenas) > 1:
        raise refusal(main, "more than one arena")
    arena = arenas[0] if arenas else None
    constant = _never_written(main)
    aliasing = Aliasing(main) if constant else None
    never = 0
    if aliasing is not None:
        for value in constant:
            never |= aliasing.mask(value)
    for op in kinds:
        _check_kind(op)
    for op in walk(main.body):
        if type(op) in _OF_KIND:
            continue
        match op:
            case _ if region_flow(op) is not None:
                _check_step(op)
            case memref.AllocOp():
                if arena is not None:
                    raise refusal(op, "left over after plan-memory")
                _check_alloc(op, main)
            case memref.AllocaOp():
                _check_alloc(op, main)
            case memref.ViewOp():
                if op.parent is not entry:
                    raise refusal(op, "outside of the entry block of main")
                if op.source is not arena:
                    raise refusal(op, "a view of something other than the arena")
                if not isinstance(op.byte_shift.owner, arith.ConstantOp):
                    raise refusal(op, "an offset that is not a constant")
            case memref.SubviewOp():
                _check_slice(op, op.static_strides.get_values(), op.result, op.source)
            case memref.CopyOp():
                _check_copy(op)
            case cf.AssertOp():
                _check_assert(op)
            case quads.ViewOp():
                _check_quads(op, op.result)
            case _:
                pass
        written = buffer_of(op) if isinstance(op, STORES) else None
        written = op.destination if isinstance(op, memref.CopyOp) else written
        if written is not None and aliasing is not None and aliasing.mask(written) & never:
            raise refusal(op, "writes an input or a constant")


def _check_kind(op: Operation) -> None:
    """Check the rules that depend on the types of an operation."""
    if region_flow(op) is not None:
        buffer_boundary(op, _region_types(op))
    for value in op.results:
        check_vector(op, value.type)
    match op:
        case arith.SelectOp() if isinstance(op.result.type, MemRefType):
            pass
        case vector.LoadOp() | vector.StoreOp():
            if not last_stride_is_one(memref_type_of(op.base)):
                raise refusal(op, f"of {op.base.type}: the elements of a vector must be contiguous in memory")
        case vector.BroadcastOp():
            if isinstance(op.source.type, ShapedType):
                raise refusal(op, f"of {op.source.type}: a broadcast needs a scalar")
        case _:
            _check_scalar(op, (MemRefType,))


def _check_quads(view: quads.ViewOp, value: SSAValue) -> None:
    """Check that quads are only loaded, possibly in another shape.

    They are loaded by themselves or as vectors, and may be viewed with other dimensions: C has no pointer to them.
    """
    for use in value.uses:
        match use.operation:
            case memref.LoadOp() | vector.LoadOp():
                pass
            case memref.ExpandShapeOp() | memref.CollapseShapeOp():
                _check_quads(view, use.operation.results[0])
            case other:
                raise refusal(view, f"{other.name} uses it: quads can only be loaded")


def check_vector(op: Operation, t: Attribute) -> None:
    """Vectors have one dimension of a fixed length."""
    if isinstance(t, VectorType) and (len(t.get_shape()) != 1 or t.get_num_scalable_dims()):
        raise refusal(op, f"{t}: a vector has one dimension, of a fixed length")


def buffer_boundary(op: Operation, types: list[Attribute]) -> None:
    """Check types of values that cross a region.

    They are scalars and static memrefs of identity layout.
    """
    for t in types:
        if isinstance(t, MemRefType) and (
            DYNAMIC_INDEX in t.get_shape() or not isinstance(t.layout, NoneAttr)
        ):
            raise refusal(
                op, f"{t} crosses a region or function: buffers cross static and with identity layout"
            )


def _check_alloc(op: memref.AllocOp | memref.AllocaOp, main: FuncOp) -> None:
    if op.parent is not main.body.block:
        raise refusal(op, "outside of the entry block of main")
    if op.dynamic_sizes or op.symbol_operands:
        raise refusal(op, "dynamic: only capacities are allocated")
    if not isinstance(memref_type_of(op.memref).layout, NoneAttr):
        raise refusal(op, "a layout other than identity")


def _check_copy(op: memref.CopyOp) -> None:
    a, b = op.source.type, op.destination.type
    assert isinstance(a, MemRefType)
    assert isinstance(b, MemRefType)
    if a.get_shape() != b.get_shape() or a.element_type != b.element_type:
        raise refusal(op, f"from {a} to {b}: a copy is between buffers of one type and shape")
    for t in (a, b):
        if not is_contiguous(t):
            raise refusal(op, f"{t} is not contiguous: a copy that is not a memcpy must be loops")


def is_contiguous(t: MemRefType) -> bool:
    """Return True if the type alone proves that the elements are contiguous."""
    if isinstance(t.layout, NoneAttr):
        return True
    if not isinstance(t.layout, StridedLayoutAttr):
        return False
    # The stride that a contiguous dimension has; None where it depends on an extent that the type leaves
    # open.
    expected: int | None = 1
    for size, stride in zip(reversed(t.get_shape()), reversed(t.layout.get_strides())):
        if size != 1 and (expected is None or stride != expected):
            return False
        expected = None if expected is None or size == DYNAMIC_INDEX else expected * size
    return True


def _never_written(main: FuncOp) -> list[SSAValue]:
    values: list[SSAValue] = []
    for argument, entry in zip(main.body.block.args, arguments_of(main)):
        if isinstance(argument.type, MemRefType) and entry.role not in ("output", "arena"):
            values.append(argument)
    return values


# ----- both -------------------------------------------------------------------------------------------------


def _region_types(op: Operation) -> list[Attribute]:
    types = [r.type for r in op.results]
    return types + [a.type for region in op.regions for block in region.blocks for a in block.args]


def _check_scalar(op: Operation, shaped: tuple[type[Attribute], ...]) -> None:
    """`arith` and `math` work on scalars; that goes for constants too."""
    if not op.name.startswith(("arith.", "math.")):
        return
    for value in (*op.operands, *op.results):
        if type(value.type) in shaped:
            raise refusal(op, f"on {value.type}: arith and math need scalars")
        check_vector(op, value.type)
    if isinstance(op, arith.ExtFOp | arith.TruncFOp):
        lanes = (lane_type(op.input.type), lane_type(op.result.type))
        before, after = (t.bitwidth for t in lanes if isinstance(t, AnyFloat))
        wider = isinstance(op, arith.ExtFOp)
        if not (before < after if wider else before > after):
            raise refusal(
                op,
                f"from {op.input.type} to {op.result.type}, which is not {'wider' if wider else 'narrower'}",
            )


def _check_step(op: Operation) -> None:
    """A loop that goes on by 0 or less never ends."""
    if isinstance(op, scf.ForOp) and isinstance(step := op.step.owner, arith.ConstantOp):
        value = step.value
        if isinstance(value, IntegerAttr) and value.value.data < 1:
            raise refusal(op, f"a step of {value.value.data}: it must be 1 or more")


def _check_assert(op: cf.AssertOp) -> None:
    if split_message(op.msg.data) is None:
        raise refusal(op, f"the message '{op.msg.data}' does not begin with one of {', '.join(KINDS)}")


def _check_blobs(main: FuncOp, shaped: type[Attribute]) -> None:
    """Check the blobs among the arguments of `main`.

    Blobs are shaped, have no role, and stand behind the inputs, before outputs and arena.
    """
    passed_inputs = False
    for index, (t, entry) in enumerate(zip(main.function_type.inputs.data, arguments_of(main))):
        role = entry.role
        if entry.is_constant:
            if role is not None or not isinstance(t, shaped):
                raise refusal(main, f"argument {index} is a blob: it must be a {shaped.name} without a role")
            passed_inputs = True
        elif role in ("output", "arena"):
            passed_inputs = True
        elif role not in (None, "input"):
            raise refusal(main, f"argument {index} has the unknown role '{role}'")
        elif passed_inputs:
            raise refusal(main, f"argument {index} is an input behind a blob, an output or the arena")
