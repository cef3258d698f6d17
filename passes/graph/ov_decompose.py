"""`ov-decompose`: composite operations become primitive ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import set_type
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.graph.lib.decompositions import Decomposition, decomposition_of, require_named_extents
from loomir.passes.graph.lib.loop_rewriting import is_endless, stop_when_it_starts


@dataclass(frozen=True)
class OvDecomposePass(ModulePass):
    """Decomposes composite operations until only primitive ones are left.

    Before:
    ```mlir
    %r = ov.convert_like %x, %y : (tensor<4xf32>, tensor<2xf16>) -> tensor<4xf16>
    ```
    After:
    ```mlir
    %r = ov.convert %x {destination_type = f16} : (tensor<4xf32>) -> tensor<4xf16>
    ```
    If a composite operation requires equal extents and inference does not know that they are equal, the program checks it
    (`ov.require`, see `lib/decompositions/extents.py`): the decomposed operations would broadcast them. A loop that
    nothing ends becomes one that stops the program when it starts (`endless-loop`). Regions are processed too. New
    operations have the location of the one they replace, and replaced results keep their types. The work is linear in the
    number of operations before and after. Error: that which a decomposition raises (most need a known rank), with the
    operation's place. With `keep-refused=true` the operation stays unchanged, for the graph engine, which decomposes it
    once it knows its operands.
    """

    name = "ov-decompose"
    EXACT = True
    keep_refused: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        endless = [inner for inner in walk(op) if isinstance(inner, LoopOp) and is_endless(inner)]
        for loop in reversed(endless):  # those inside of others first
            stop_when_it_starts(loop)
        rewrite(op, DecomposeComposite(self.keep_refused), once=True)


@dataclass(frozen=True)
class DecomposeComposite(RewritePattern):
    """Decompose a composite operation (see the pass).

    Composite operations that replace it are decomposed, too.
    """

    keep_refused: bool

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, OvOperation) or not op.COMPOSITE:
            return
        try:
            made = decompose(op, rewriter=rewriter)
        except Error:
            if not self.keep_refused:
                raise
            return
        for inner in [inner for new in made for inner in walk(new)]:
            self.match_and_rewrite(inner, rewriter)


def decompose(
    op: Operation, decomposition: Decomposition | None = None, rewriter: PatternRewriter | None = None
) -> list[Operation]:
    """Decompose one composite operation and return the new operations.

    `decomposition` replaces the registered one. If it refuses, the operation is unchanged. `rewriter` is that of a pattern, if
    any. Error: that of the decomposition, with the operation's place.
    """
    assert isinstance(op, OvOperation), op
    decomposition = decomposition or decomposition_of(type(op))
    assert decomposition is not None, f"{op.name} is composite but has no decomposition"
    rewriter = rewriter or PatternRewriter(op)
    build = RewriteBuilder.before(op, rewriter)
    operands = list(op.operands)
    try:
        require_named_extents(op, build)
        values = decomposition(op, build)
    except Error as error:
        op.operands = operands
        for new in reversed(build.emitted):
            rewriter.erase(new, safe_erase=False)
        raise located(error, op) from None
    rewriter.replace(op, [], with_types_of(op, values, build))
    return build.emitted


def with_types_of(op: Operation, values: Sequence[SSAValue], build: GraphBuilder) -> list[SSAValue]:
    """Return values with the types of an operation's results, which they replace.

    `build` has emitted the values, or they existed before.
    """
    made = set(build.emitted)
    return [_with_type_of(old, new, made, build) for old, new in zip(op.results, values, strict=True)]


def _with_type_of(old: SSAValue, new: SSAValue, made: set[Operation], build: GraphBuilder) -> SSAValue:
    """Return the new value with the type of the old one.

    The users of the old value (a function's return, say) rely on this type.

    A value that was just emitted may simply be declared to have it: its own type is inferred from less than inference knew
    of the old one. Another value (an operand, a loop's result) goes through a conversion to its own element type.
    """
    if new.type == old.type:
        return new
    if not (isinstance(new, OpResult) and new.op in made and isinstance(new.op, OvOperation)):
        converted = ConvertOp.make(new, attributes={"destination_type": Fact.of_type(new.type).element})
        new = build.emit(converted).output
    set_type(new, old.type)
    return new
