"""`--transform`: schedules of transformations of single loops.

The schedule is a `transform.named_sequence` for xDSL's transform interpreter, with the operations of the dialect `ov_transform`
beside those of upstream's dialect `transform`. Loops are named by their layer. Each operation applies the function by which the
pass of that transformation changes a loop, without the pass's limits on what pays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import I64, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.transform import AnyOpType, NamedSequenceOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.interpreters.transform import OperationHandle, TransformFunctions
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from loomir.compiler.engines import InterpreterError, LoomirInterpreter
from loomir.compiler.files import MAX_FILE_BYTES, read_file
from loomir.compiler.formats.mlir.parser import decode_text, make_context, parse_module
from loomir.compiler.pipeline import available_passes
from loomir.compiler.stages import not_of_stages
from loomir.dialects.diagnostics import MissedReason, Remarks, layer_name, located
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.decided_branches import Decisions, branches_on_iteration, decide_branches
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_fuse import OvLoopFusePass
from loomir.passes.graph.ov_loop_invariant_code_motion import OvLoopInvariantCodeMotionPass
from loomir.passes.graph.ov_loop_peel import peel_loop, peeling_obstacle
from loomir.passes.graph.ov_loop_unroll import Budget, OvLoopUnrollPass

ENTRY = "__transform_main"
"""Name of the sequence that is run, as in upstream's transform interpreter."""

MAX_COPIES = 10_000
"""Limit on the copies of a body."""

MAX_CODE_GROWTH = 10_000
"""Limit on the code that one operation of a schedule adds.

The unit is that of `passes/analysis/costs.py`.
"""


class Step(IRDLOperation):
    """An operation of schedules.

    It has no attributes: one that nothing reads is a mistake.
    """

    def verify_(self) -> None:
        if self.attributes:
            raise VerifyException(f"it has no attribute '{next(iter(self.attributes))}'")


@irdl_op_definition
class MatchLoopOp(Step):
    """The loops of a layer, copies included."""

    name = "ov_transform.loop"

    layer = prop_def(StringAttr)
    program = operand_def(AnyOpType())
    loops = result_def(AnyOpType())

    assembly_format = "$layer `in` $program attr-dict"


@irdl_op_definition
class UnrollOp(Step):
    """Unroll loops completely, or by a factor."""

    name = "ov_transform.unroll"

    loops = operand_def(AnyOpType())
    factor = opt_prop_def(IntegerAttr[I64])

    assembly_format = "$loops (`by` $factor^)? attr-dict"


@irdl_op_definition
class PeelOp(Step):
    """Peel the first iteration of loops, or the last."""

    name = "ov_transform.peel"

    loops = operand_def(AnyOpType())
    last = opt_prop_def(UnitAttr)

    assembly_format = "$loops (`last` $last^)? attr-dict"


@irdl_op_definition
class FuseOp(Step):
    """Fuse a loop with a later loop that runs equally often."""

    name = "ov_transform.fuse"

    first = operand_def(AnyOpType())
    second = operand_def(AnyOpType())

    assembly_format = "$first `with` $second attr-dict"


@irdl_op_definition
class HoistOp(Step):
    """Hoist the loop-invariant operations out of loops."""

    name = "ov_transform.hoist"

    loops = operand_def(AnyOpType())

    assembly_format = "$loops attr-dict"


OvTransform = Dialect("ov_transform", [MatchLoopOp, UnrollOp, PeelOp, FuseOp, HoistOp])


@dataclass(frozen=True)
class TransformPass(ModulePass):
    """Applies a schedule to a GRAPH program.

    Errors: `bad-transform`, at the operation of the schedule; those of `loomir.load` for MLIR text.
    """

    name = "ov-transform"
    EXACT = False  # (a schedule may apply any pass)

    schedule: str
    """Path of the schedule."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        path = Path(self.schedule)
        context = make_context()
        context.load_dialect(OvTransform)
        text = decode_text(read_file(path, MAX_FILE_BYTES), self.schedule)
        script = parse_module(text, name=self.schedule, context=context)
        sequence = _entry(script, self.schedule)
        if (reason := not_of_stages(op, ["graph"])) is not None:
            reason.what = f"--transform takes programs of the graph stage: {reason.what}"
            raise reason
        retype(ctx, op)
        interpreter = LoomirInterpreter(script)
        interpreter.register_implementations(TransformFunctions(ctx, available_passes()))
        interpreter.register_implementations(_LoopFunctions(ctx, op))
        try:
            interpreter.call_op(sequence, (OperationHandle(op),))
        except InterpreterError as error:
            raise Error("bad-transform", str(error), hint=_HINT) from error


_HINT = "docs/transform.md lists the operations of schedules"


def _entry(script: ModuleOp, file: str) -> NamedSequenceOp:
    """Return the sequence that takes the program. Error: `bad-transform`."""
    for op in script.ops:
        if isinstance(op, NamedSequenceOp) and op.sym_name.data == ENTRY:
            if [*op.function_type.inputs] != [AnyOpType()] or len(op.body.blocks) != 1:
                raise located(
                    Error("bad-transform", "it takes the program alone: one !transform.any_op", hint=_HINT),
                    op,
                )
            return op
    raise Error("bad-transform", f"it has no transform.named_sequence @{ENTRY}", file=file, hint=_HINT)


@register_impls
@dataclass
class _LoopFunctions(InterpreterFunctions):
    """Semantics of `ov_transform` for one program."""

    context: Context
    module: ModuleOp
    remarks: Remarks = field(default_factory=lambda: Remarks(TransformPass.name))

    @impl(MatchLoopOp)
    def run_loop(self, interpreter: Interpreter, op: MatchLoopOp, args: PythonValues) -> PythonValues:
        name = op.layer.data
        loops = [o for o in walk(self.module) if isinstance(o, LoopOp)]
        found = [loop for loop in loops if layer_name(loop) == name]
        if found:
            return (OperationHandle(*found),)
        known = list(dict.fromkeys(n for loop in loops if (n := layer_name(loop)) is not None))
        near = get_close_matches(name[:200], known, n=1) if len(known) <= 10_000 else []
        meant = f"; is '{near[0]}' meant?" if near else ""
        names = ", ".join(f"'{n}'" for n in known) or "none that has a name"
        raise _failed(op, f"the program has no loop of the layer '{name}'{meant}", f"loops: {names}")

    @impl(UnrollOp)
    def run_unroll(self, interpreter: Interpreter, op: UnrollOp, args: PythonValues) -> PythonValues:
        factor = 1 if op.factor is None else op.factor.value.data
        if op.factor is not None and not 2 <= factor <= MAX_COPIES:
            raise _failed(op, f"the factor {factor} is not from 2 to {MAX_COPIES}")
        unrolling = OvLoopUnrollPass(max_trips=MAX_COPIES if op.factor is None else factor, factor=factor)
        for loop in self._loops(op, args[0]):
            inference = self._inference() if factor > 1 else None
            self._check(op, loop, unrolling.unroll(loop, inference, Budget(MAX_CODE_GROWTH), self.remarks))
            retype(self.context, self.module)
        return ()

    @impl(PeelOp)
    def run_peel(self, interpreter: Interpreter, op: PeelOp, args: PythonValues) -> PythonValues:
        at_end = op.last is not None
        for loop in self._loops(op, args[0]):
            inference = self._inference()
            self._check(op, loop, peeling_obstacle(loop, inference, at_end=at_end))
            asking = branches_on_iteration(self.module).get(loop, ())
            decisions = decide_branches(loop, asking, inference) if asking else Decisions()
            self.remarks.passed(loop, f"peeled its {'last' if at_end else 'first'} iteration")
            peel_loop(loop, decisions.last if at_end else decisions.first, inference, at_end=at_end)
            retype(self.context, self.module)
        return ()

    @impl(FuseOp)
    def run_fuse(self, interpreter: Interpreter, op: FuseOp, args: PythonValues) -> PythonValues:
        first, second = (self._loops(op, handle) for handle in args)
        if len(first) != len(second):
            raise _failed(op, f"{len(first)} loops cannot be fused with {len(second)}", "match as many")
        for earlier, later in zip(first, second):
            fused = OvLoopFusePass().fuse(earlier, later, self._inference(), self.remarks)
            if isinstance(fused, MissedReason):
                self._check(op, later, fused)
            retype(self.context, self.module)
        return ()

    @impl(HoistOp)
    def run_hoist(self, interpreter: Interpreter, op: HoistOp, args: PythonValues) -> PythonValues:
        loops = self._loops(op, args[0])
        # (Without a limit on what pays.)
        motion = OvLoopInvariantCodeMotionPass(guard_elements=0)
        if not motion.hoist(self.module, analyses_of(self.context), set(loops)):
            self._check(op, loops[0], "nothing in it is loop-invariant and may move (--remarks)")
        retype(self.context, self.module)
        return ()

    def _inference(self) -> Inference:
        return analyses_of(self.context).get(infer, self.module)

    def _loops(self, op: Operation, handle: Any) -> Sequence[LoopOp]:
        """Return the loops of a handle. Error: `bad-transform`."""
        found: list[LoopOp] = []
        for each in cast("OperationHandle", handle).ops:
            if not isinstance(each, LoopOp):
                raise _failed(op, f"it transforms ov.loop, not {each.name}", "match with ov_transform.loop")
            if not self.module.is_ancestor(each):
                raise _failed(
                    op, "an earlier operation has replaced the loop of this handle", "match the layer again"
                )
            found.append(each)
        if not found:
            raise _failed(op, "its handle has no loop")
        return found

    def _check(self, op: Operation, loop: LoopOp, why: str | MissedReason | None) -> None:
        """Raise `bad-transform` if a loop stays as it is."""
        if why is not None:
            text = why.text if isinstance(why, MissedReason) else why
            raise _failed(op, f"{_named(loop)} stays as it is: {text}")


def _named(loop: LoopOp) -> str:
    name = layer_name(loop)
    return "a loop" if name is None else f"the loop '{name}'"


def _failed(op: Operation, what: str, hint: str | None = None) -> Error:
    return located(Error("bad-transform", what, hint=hint), op)
