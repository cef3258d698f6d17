"""`convert-ovseq-to-ov`: sequences become tensors of rows, optionals a flag and a value.

GRAPH with `ovseq` → GRAPH without. A sequence is held in one of these layouts, the same for all values that loops, branches and
operations hand on to one another:

| elements | tensors | element i |
|---|---|---|
| of one static shape | *rows* `tensor<? x shape>` | row i |
| of other shapes, of rank r | *slots* `tensor<? x M>`, `shapes tensor<? x r x i64>` | the first `prod(shapes[i])` of slot i |
| of several ranks up to r | as above, and `ranks tensor<? x i64>` | the same, of the first `ranks[i]` extents |

Slots hold their elements in row-major order. M is the product of the largest extents that inference finds. How many elements there
are is dimension 0, in every case. Of an optional there is a flag `tensor<i1>`, then its value: where it has none, a tensor whose
dynamic dimensions are 0, or an empty sequence.

```mlir
%s0 = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
%s = ov.loop trip(%n) carried(%s0) : (tensor<i64>, !ovseq.sequence<tensor<*xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
  %d = ovseq.insert %c, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
  ov.next carried(%d : !ovseq.sequence<tensor<2xf32>>)
}
%y = ovseq.at %s, %k : (!ovseq.sequence<tensor<2xf32>>, tensor<i64>) -> tensor<2xf32>
```

becomes

```mlir
%s0 = ov.constant dense<> : tensor<0x2xf32> : tensor<0x2xf32>
%s = ov.loop trip(%n) carried(%s0) : (tensor<i64>, tensor<0x2xf32>) -> (tensor<?x2xf32>) {
^bb0(%i: tensor<i64>, %c: tensor<?x2xf32>):
  %r = ov.unsqueeze %x, %zero : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  %d = ov.concat %c, %r {axis = 0} : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
  ov.next carried(%d : tensor<?x2xf32>)
}
%y = ov.gather %s, %k, %axis {out_of_range = "error"} : (tensor<?x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
```

Arguments and results of `main` become several, named `y/data` and `y/shapes` (sequences), `y/has`, `y` or `y/data` … (optionals);
`loomir.of = "y"` and `loomir.part = "data"` (rows), `"slots"`, `"shapes"`, `"ranks"`, `"has"` or `"value"` say which is which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.interface import Entry
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ovseq import SeqOperation
from loomir.dialects.ovseq.types import OptionalType, SeqType
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.lowering_requirements import CAPACITY, refuse_graph_only
from loomir.passes.graph.convert_ovseq_to_ov.layouts import Layouts, Rewriter
from loomir.passes.graph.convert_ovseq_to_ov.operations import convert_operation
from loomir.passes.graph.lib.one_to_many import OneToMany
from loomir.passes.graph.ov_infer import remove_unreached, retype
from loomir.passes.options import check_least


class SequenceConversion(OneToMany):
    """Sequences and optionals become the tensors of their layouts."""

    def __init__(self, func: FuncOp, layouts: Layouts) -> None:
        super().__init__(func)
        self.layouts = layouts

    def splits(self, value: SSAValue) -> bool:
        return isinstance(value.type, SeqType)

    def types(self, value: SSAValue) -> Sequence[Attribute]:
        return self.layouts.of(value).types

    def operation(self, op: Operation) -> None:
        if isinstance(op, SeqOperation):
            build = GraphBuilder(InsertPoint.before(op), op.location)
            self.replace(op, convert_operation(op, Rewriter(build, self.layouts, self.parts)))

    def argument_entries(self, argument: BlockArgument, entry: Entry) -> Sequence[Entry]:
        name = entry.name or f"arg{argument.index}"
        inner = argument.type.value if isinstance(argument.type, OptionalType) else argument.type
        if isinstance(inner, SeqType):
            self.layouts.capacity_for(name)
        layout = self.layouts.of(argument)
        entries: list[Entry] = []
        for part, given in zip(layout.types, _part_entries(name, layout.names)):
            if isinstance(part, TensorType) and DYNAMIC_INDEX in (shape := part.get_shape()):
                most = self.layouts.capacity_for(name)
                given |= Entry.of(bounds=[most if d == DYNAMIC_INDEX else d for d in shape])
            entries.append(given)
        return entries

    def result_entries(self, value: SSAValue, name: str, entry: Entry) -> Sequence[Entry]:
        return _part_entries(name, self.layouts.of(value).names)


def _part_entries(name: str, names: Sequence[str]) -> list[Entry]:
    """Return the entries of the tensors that hold an argument or result.

    The argument or result has this name.
    """
    words = {part: f"{name}/{part}" for part in names} | {"slots": f"{name}/data", "value": name}
    return [Entry.of(name=words[part], part=(name, part)) for part in names]


@dataclass(frozen=True)
class ConvertOvseqToOvPass(ModulePass):
    """Replace sequences and optionals by tensors (see the module's docstring).

    `capacity` is the largest extent of an element that nothing else bounds, and how many elements a sequence that is an input may
    have; more is a `capacity` error when the program runs. Errors: `dynamic-input` and `unbounded-shape` (without `capacity`),
    `unresolved-rank` (a rank is not known, or elements are read whose ranks differ), `graph-only-type`.
    """

    name = "convert-ovseq-to-ov"
    EXACT = True

    capacity: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, capacity=1)
        if not any(map(_has_sequences, walk(op))):
            return analyses_of(ctx).keep_all()
        refuse_graph_only(op)
        inference = analyses_of(ctx).get(infer, op, capacity=self.capacity)
        remove_unreached(inference)
        for func in op.body.block.ops:
            if isinstance(func, FuncOp) and func.body.blocks:
                layouts = Layouts(func, inference, self.capacity)
                SequenceConversion(func, layouts).run()
                if layouts.used_capacity:
                    op.attributes[CAPACITY] = IntegerAttr(self.capacity or 0, i64)
        retype(ctx, op)


def _has_sequences(op: Operation) -> bool:
    return any(isinstance(r.type, SeqType) for r in op.results) or any(
        isinstance(a.type, SeqType) for region in op.regions for block in region.blocks for a in block.args
    )


__all__ = ["ConvertOvseqToOvPass"]
