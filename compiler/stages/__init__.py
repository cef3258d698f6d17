"""Stages of a program and their verifier: docs/ir.md in code.

`verify_stage(module, "loops")` raises `StageError`, one line with the operation's location, if a pass has
created something that its stage does not allow.

`rules` has the legality rules of STRUCTURED and LOOPS, `operations` verifies what holds in every stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    TensorType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from loomir.compiler.formats.format import front_dialects
from loomir.compiler.stages.operations import StageError, VerifiedKinds, invalid, refusal, verify_dominance
from loomir.compiler.stages.rules import check_loops, check_structured
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import is_carried
from loomir.dialects.region_flow import region_flow, terminator
from loomir.dialects.scalars import SCALARS
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error, raised_by_loomir

__all__ = [
    "STAGES",
    "Stage",
    "StageError",
    "front_dialect",
    "front_operation",
    "is_front",
    "not_of_stages",
    "verify_dominance",
    "verify_module",
    "verify_operations",
    "verify_stage",
]

_SCF = frozenset({"scf.for", "scf.while", "scf.if", "scf.yield", "scf.condition"})
_NUMBERS = frozenset(op.name for op in SCALARS) | {"arith.constant"}
_QUADS = frozenset(name for name in _NUMBERS if name.startswith("quads."))
_SCALARS = _NUMBERS - _QUADS
_FRAME = frozenset({"builtin.module", "func.func", "func.return"})


@dataclass(frozen=True)
class Stage:
    """One form of the program.

    - `dialects` and `operations` are legal: all operations of a dialect, or one by name;
    - `shaped` is the class of type that values may have besides scalars;
    - `check` looks at the rest of docs/ir.md's rules and raises `StageError`; it gets one operation of each kind (`VerifiedKinds`), too.
    """

    name: str
    dialects: frozenset[str]
    operations: frozenset[str]
    shaped: tuple[type[Attribute], ...]
    check: Callable[[FuncOp, list[Operation]], None] | None

    def allows(self, op: Operation) -> bool:
        """Return True if the operation belongs to the stage."""
        return op.name in self.operations or op.name.partition(".")[0] in self.dialects


STAGES: dict[str, Stage] = {
    "front": Stage("front", front_dialects(), _FRAME, (), None),
    "graph": Stage("graph", frozenset({"ov", "ovseq"}), _FRAME, (TensorType, UnrankedTensorType), None),
    "structured": Stage(
        "structured",
        frozenset(),
        _FRAME
        | _SCF
        | _SCALARS
        | {f"linalg.{n}" for n in ("fill", "generic", "index", "yield")}
        | {
            f"tensor.{n}"
            for n in ("empty", "extract", "insert", "extract_slice", "insert_slice", "expand_shape")
        }
        | {"tensor.collapse_shape", "tensor.pad", "tensor.yield", "cf.assert"},
        (TensorType,),
        check_structured,
    ),
    "loops": Stage(
        "loops",
        frozenset(),
        _FRAME
        | _SCF
        | _NUMBERS
        | {f"memref.{n}" for n in ("alloc", "alloca", "view", "subview", "cast", "load", "store", "copy")}
        | {"memref.expand_shape", "memref.collapse_shape", "quads.view", "cf.assert"}
        | {f"vector.{n}" for n in ("load", "store", "broadcast")},
        (MemRefType, VectorType),
        check_loops,
    ),
}
"""The stages in the order in which a program goes through them."""


def verify_stage(module: ModuleOp, stage: str | Stage) -> None:
    """Reject a module that does not conform to the stage.

    Raises `StageError`; linear in the number of operations.
    """
    if isinstance(stage, str):
        stage = STAGES[stage]
    main = _main_of(module)
    operations = list(walk(module))
    allowed: set[str] = set()
    for op in operations:
        if op.name not in allowed:
            if not stage.allows(op):
                raise refusal(op, f"not an operation of the {stage.name} stage")
            allowed.add(op.name)
    # Most values share their types: each is looked at where it comes first.
    checked: set[int] = set()
    for op in operations:
        for value in (*op.results, *_arguments(op)) if op.regions else op.results:
            if id(value.type) not in checked:
                _check_type(op, value.type, stage)
                checked.add(id(value.type))
    kinds = verify_module(module)
    for op in operations:
        if op.regions:
            _check_stage_terminators(op)
    if stage.check is not None:
        stage.check(main, kinds)


def front_operation(module: ModuleOp) -> Operation | None:
    """Return a framework operator of the module, if it holds one.

    Such an operator cannot be run: a module that holds one is in FRONT.
    """
    fronts = front_dialects()
    return next((op for op in walk(module) if op.dialect_name() in fronts), None)


def front_dialect(module: ModuleOp) -> str | None:
    """Return the dialect of FRONT that a module is in, or None.

    A model is in FRONT even if it has no operator: then an attribute of the module is of this dialect (`onnx.opset`).
    """
    fronts = front_dialects()
    of_module = (name.partition(".")[0] for name in module.attributes)
    found = next((dialect for dialect in of_module if dialect in fronts), None)
    if found is None and (op := front_operation(module)) is not None:
        found = op.dialect_name()
    return found


def is_front(module: ModuleOp) -> bool:
    """Return True if the module is in FRONT."""
    return front_dialect(module) is not None


def verify_operations(module: ModuleOp) -> list[Operation]:
    """Verify each operation after `verify_dominance`; return one operation of each kind.

    Runs each operation's own verifier and checks the values that regions forward.

    Errors, with its place: `mlir-invalid`, and those of its inference.
    """
    kinds = VerifiedKinds()
    first: list[Operation] = []
    handing_on: list[Operation] = []
    for op in walk(module):
        try:
            if kinds.verify(op):
                first.append(op)
        except VerifyException as error:
            # The notes of xDSL's exception hold the whole module: leave them behind.
            raise _of_verifier(op, error) from None
        except Error:
            raise
        except Exception as error:
            if raised_by_loomir(error):
                raise
            # Some of xDSL's verifiers raise anything.
            raise invalid(op, " ".join(str(error).split()) or type(error).__name__) from error
        if (more := _MORE.get(type(op))) is not None:
            more(op)
        for region in op.regions:
            for block in region.blocks:
                if block.first_op is None and not op.has_trait(NoTerminator):
                    raise invalid(op, "an empty block")
        if type(op) in _ENDS:
            handing_on.append(op)
    for op in handing_on:
        _check_handed_on(op)
    return first


def _check_slice_operands(op: tensor.ExtractSliceOp | tensor.InsertSliceOp | memref.SubviewOp) -> None:
    """Check the offsets, sizes and strides of a slice.

    MLIR's verifier checks this; xDSL's does not.
    """
    small = (op.source if isinstance(op, tensor.InsertSliceOp) else op.result).type
    large = (op.dest if isinstance(op, tensor.InsertSliceOp) else op.source).type
    assert isinstance(large, TensorType | MemRefType)
    for what, static, dynamic in (
        ("offsets", op.static_offsets, op.offsets),
        ("sizes", op.static_sizes, op.sizes),
        ("strides", op.static_strides, op.strides),
    ):
        numbers = static.get_values()
        if len(numbers) != large.get_num_dims() or numbers.count(DYNAMIC_INDEX) != len(dynamic):
            raise invalid(
                op,
                f"{len(numbers)} {what}, {len(dynamic)} of them operands, for {large.get_num_dims()} dimensions",
            )
    assert isinstance(small, TensorType | MemRefType)
    sizes = op.static_sizes.get_values()
    if not _may_be_of(sizes, small.get_shape()):
        raise invalid(op, f"sizes {[*sizes]} for a slice of type {small}")


def _may_be_of(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Return True if a slice of these sizes may have the shape.

    The shape may lack dimensions of size 1.
    """
    if len(sizes) != len(shape):
        sizes, shape = [n for n in sizes if n != 1], [n for n in shape if n != 1]
    return len(sizes) == len(shape) and all(
        DYNAMIC_INDEX in (size, extent) or size == extent for size, extent in zip(sizes, shape)
    )


def _check_output_shape(op: tensor.ExpandShapeOp | memref.ExpandShapeOp) -> None:
    """The same for what an expansion makes."""
    result, numbers = op.result.type, op.static_output_shape.get_values()
    assert isinstance(result, TensorType | MemRefType)
    operands = op.dynamic_output_shape if isinstance(op, tensor.ExpandShapeOp) else op.output_shape
    if len(numbers) != result.get_num_dims() or numbers.count(DYNAMIC_INDEX) != len(operands):
        raise invalid(
            op, f"an output_shape of {len(numbers)} numbers, {len(operands)} of them operands, for {result}"
        )


def _check_dimension(op: linalg.IndexOp) -> None:
    """Check the dimension of `linalg.index`.

    MLIR's verifier checks this; xDSL's does not.
    """
    around = op.parent_op()
    while around is not None and not isinstance(around, linalg.GenericOp):
        around = around.parent_op()
    loops = 0 if around is None else len(around.iterator_types)
    if op.dim.value.data not in range(loops):
        raise invalid(op, f"dimension {op.dim.value.data} in a linalg.generic with {loops}")


_MORE: dict[type[Operation], Callable[[Any], None]] = {
    linalg.IndexOp: _check_dimension,
    tensor.ExtractSliceOp: _check_slice_operands,
    tensor.InsertSliceOp: _check_slice_operands,
    memref.SubviewOp: _check_slice_operands,
    tensor.ExpandShapeOp: _check_output_shape,
    memref.ExpandShapeOp: _check_output_shape,
}
"""Checks of operations in addition to their own verifiers."""


def verify_module(module: ModuleOp) -> list[Operation]:
    """Verify the rules for every module, of any stage or none.

    Runs `verify_dominance` and `verify_operations`, and returns the result of the latter.
    """
    verify_dominance(module)
    return verify_operations(module)


def _of_verifier(op: Operation, error: VerifyException) -> StageError:
    cause = error.__cause__
    if isinstance(cause, Error):
        found = StageError(cause.identifier, cause.what, hint=cause.hint)
        located(found, op)
        return found
    return invalid(op, " ".join(str(error).split()) or "the operation does not verify")


def _main_of(module: ModuleOp) -> FuncOp:
    ops = list(module.body.block.ops)
    for op in ops:
        # A format's own functions belong to FRONT.
        if not isinstance(op, FuncOp) and op.dialect_name() not in front_dialects():
            raise refusal(op, "a program's module may contain only functions")
    mains = [op for op in ops if isinstance(op, FuncOp)]
    if len(mains) != 1 or mains[0].sym_name.data != "main" or mains[0].is_declaration:
        raise refusal(module, "a program must be one function @main with a body")
    return mains[0]


def _check_type(op: Operation, of_value: Attribute, stage: Stage) -> None:
    if stage.name == "front":
        # Whatever the file declares.
        return
    if isinstance(of_value, TensorType | UnrankedTensorType | MemRefType | VectorType):
        if not isinstance(of_value, stage.shaped):
            raise refusal(op, f"a value of type {of_value} in the {stage.name} stage")
        if stage.name not in STAGES:
            return
        element = of_value.element_type
    else:
        if stage.name == "graph":
            if of_value.name.partition(".")[0] not in stage.dialects:
                text = f"a value of type {of_value}: in GRAPH that is a tensor, a sequence or an optional"
                raise refusal(op, text)
            return
        element = of_value
    if stage.name == "graph":
        if isinstance(element, IntegerType) and element.signedness.data == Signedness.SIGNED:
            raise refusal(op, f"the signed type {element}: signed integers are signless")
    elif is_carried(element):
        raise refusal(op, f"the type {element}: only the graph stage has such elements")
    elif isinstance(element, IntegerType) and element.signedness.data != Signedness.SIGNLESS:
        raise refusal(op, f"the type {element}: integers are signless below the graph stage")


_ON_THE_WAY = frozenset(
    {"tensor.dim", "tensor.from_elements", "linalg.copy", "memref.dim", "builtin.unrealized_conversion_cast"}
)
"""Operations that occur between two stages and belong to neither.

The first two occur before `convert-ov-to-linalg`, the others from `bufferize` on.
"""


def not_of_stages(module: ModuleOp, names: Sequence[str]) -> StageError | None:
    """Return why the module fits none of these stages, or None.

    The result is None also if the module is on its way from one of these stages to the other. Called when a pass for these
    stages has failed: its input may be the reason.
    """
    stages = [STAGES[name] for name in names]
    # Of all tensors there are buffers before the first pass of LOOPS: what it has of STRUCTURED works on those.
    whole = [stage for stage in stages if stage.name == "loops"] or stages
    between = Stage(
        " or ".join(names),
        frozenset().union(*(stage.dialects for stage in stages)),
        _ON_THE_WAY.union(*(stage.operations for stage in stages)),
        tuple({shaped for stage in whole for shaped in stage.shaped}),
        None,
    )
    # Where all operations are of one stage, so is the program, and has to follow its other rules.
    exact = [stage for stage in whole if all(stage.allows(op) for op in walk(module))]
    try:
        verify_stage(module, (exact or [between])[0])
    except StageError as error:
        return error
    return None


def _arguments(op: Operation) -> list[SSAValue]:
    return [argument for region in op.regions for block in region.blocks for argument in block.args]


def _types(values: Iterable[SSAValue]) -> list[Attribute]:
    return [v.type for v in values]


_ENDS = {
    scf.ForOp: (scf.YieldOp,),
    scf.IfOp: (scf.YieldOp, scf.YieldOp),
    scf.WhileOp: (scf.ConditionOp, scf.YieldOp),
}
"""Required terminators of the regions of each operation.

(The xDSL verifiers of these operations do not check what MLIR's RegionBranchOpInterface requires.)
"""


def _check_handed_on(op: Operation) -> None:
    """Check that forwarded values have the types of their receivers.

    These are the values that a loop or branch, or one of its regions, forwards.
    """
    ends = [_end(op, i, kind) for i, kind in enumerate(_ENDS[type(op)]) if op.regions[i].first_block]
    if isinstance(op, scf.ForOp) and not op.results and not any(end.operands for end in ends):
        # It hands on nothing, as most loops over memory. (Its own verifier has counted the arguments.)
        return
    flow = region_flow(op)
    assert flow is not None
    for edge in flow.edges:
        _same(op, edge.forwarder.name, _types(edge.operands), _types(edge.inputs))


def _check_stage_terminators(op: Operation) -> None:
    """How regions end in a program of a stage."""
    match op:
        case scf.WhileOp():
            condition = terminator(op.before_region.block)
            if tuple(condition.operands[1:]) != tuple(op.before_region.block.args):
                raise refusal(op, "scf.condition must forward the before-arguments unchanged, one to one")
        case FuncOp():
            _same(
                op, "func.return", _types(_end(op, 0, ReturnOp).operands), list(op.function_type.outputs.data)
            )
            _same(op, "block arguments", _types(op.body.block.args), list(op.function_type.inputs.data))
        case _:
            pass


def _end(op: Operation, region: int, kind: type[Operation]) -> Operation:
    last = op.regions[region].block.last_op
    if not isinstance(last, kind):
        raise invalid(op, f"region {region} must end in {kind.name}")
    return last


def _same(op: Operation, what: str, given: list[Attribute], expected: list[Attribute]) -> None:
    if len(given) != len(expected):
        raise invalid(op, f"{what}: {len(given)} values where there must be {len(expected)}")
    for index, (a, b) in enumerate(zip(given, expected)):
        if a != b:
            raise invalid(op, f"{what}: value {index} is {a} where it must be {b}")
