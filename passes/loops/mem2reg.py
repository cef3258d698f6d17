"""`mem2reg`: buffers of one element become SSA values.

```mlir
%b = memref.alloc() : memref<1xf32>
memref.store %x, %b[%c0] : memref<1xf32>
scf.for %i = %c0 to %n step %c1 {
  %a = memref.load %b[%c0] : memref<1xf32>
  %s = arith.mulf %a, %a : f32
  memref.store %s, %b[%c0] : memref<1xf32>
}
%r = memref.load %b[%c0] : memref<1xf32>
```

becomes

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
  %s = arith.mulf %a, %a : f32
  scf.yield %s : f32
}
```

As in MLIR's pass of this name, the value of the buffer is followed through loops and branches. A loop or branch that stores into the buffer
carries the value and returns it, whether or not anything reads it; `remove-dead-values` removes what nothing needs. What is read before
anything is stored is 0.

A buffer is left in memory if something other than a load, a store or a copy uses it or a view of it, or if the condition region of an
`scf.while` stores into it: that region forwards its arguments unchanged. Arguments of the function stay in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.control_flow.rewriting import Structured, remade
from loomir.dialects.diagnostics import Remarks, count
from loomir.dialects.region_flow import enclosing, terminator
from loomir.dialects.scalars.row import number_attr


@dataclass(frozen=True)
class Mem2regPass(ModulePass):
    """Replaces buffers of one element by values (see the module's docstring)."""

    name = "mem2reg"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                promotion = _Promotion(function.body.block, remarks)
                count("buffers promoted", len(promotion.allocations))
                promotion.run()


@dataclass
class _Promotion:
    """Buffers to promote, and their contents at the operation that is visited."""

    entry: Block
    remarks: Remarks
    allocations: list[memref.AllocOp] = field(default_factory=list)
    cells: dict[SSAValue, memref.AllocOp] = field(default_factory=dict)
    """Allocation of each memref value that is such a buffer."""
    written: dict[Operation, dict[memref.AllocOp, None]] = field(default_factory=dict)
    """Loops and branches that access such buffers, at any depth.

    Each has the buffers that it stores into.
    """
    contents: dict[memref.AllocOp, SSAValue] = field(default_factory=dict)
    zeros: dict[Attribute, SSAValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for op in self.entry.ops:
            if isinstance(op, memref.AllocOp) and _holds_one(op.memref) and (found := _uses(op)) is not None:
                views, accesses = found
                self.allocations.append(op)
                self.cells.update(dict.fromkeys(views, op))
                for access, stores in accesses:
                    for around, _ in enclosing(access):
                        written = self.written.setdefault(around, {})
                        if stores:
                            written[op] = None

    def run(self) -> None:
        """Replace all accesses, and remove the buffers."""
        if not self.allocations:
            return
        self._visit_block(self.entry)
        for value in reversed(self.cells):
            assert isinstance(value.owner, Operation)
            Rewriter.erase_op(value.owner)

    def _visit_block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case memref.LoadOp() if op.memref in self.cells:
                    Rewriter.replace_op(op, [], [self._content(self.cells[op.memref])])
                case memref.StoreOp() if op.memref in self.cells:
                    self.contents[self.cells[op.memref]] = op.value
                    Rewriter.erase_op(op)
                case memref.CopyOp() if op.source in self.cells or op.destination in self.cells:
                    self._visit_copy(op)
                case scf.ForOp() | scf.WhileOp() | scf.IfOp() if op in self.written:
                    self._visit_nest(op, list(self.written[op]))
                case _:
                    pass

    def _visit_copy(self, op: memref.CopyOp) -> None:
        if (cell := self.cells.get(op.source)) is not None:
            value = self._content(cell)
        else:
            load = memref.LoadOp.get(op.source, self._origin(op.source))
            load.location = op.location
            Rewriter.insert_op(load, InsertPoint.before(op))
            value = load.res
        if (cell := self.cells.get(op.destination)) is not None:
            self.contents[cell] = value
        else:
            store = memref.StoreOp.get(value, op.destination, self._origin(op.destination))
            store.location = op.location
            Rewriter.insert_op(store, InsertPoint.before(op))
        Rewriter.erase_op(op)

    def _visit_nest(self, op: Structured, cells: list[memref.AllocOp]) -> None:
        """Carry the contents of `cells`, which the operation stores into, through it."""
        before = [self._content(cell) for cell in cells]
        if cells and isinstance(op, scf.IfOp) and not op.false_region.blocks:
            op.false_region.add_block(Block([scf.YieldOp()]))
        for region in op.regions:
            if not region.blocks:
                continue
            block = region.block
            inside = before
            if not isinstance(op, scf.IfOp):
                inside = [block.insert_arg(value.type, len(block.args)) for value in before]
            self.contents.update(zip(cells, inside))
            self._visit_block(block)
            if cells:
                end = terminator(block)
                end.operands = [*end.operands, *map(self._content, cells)]
        if not cells:
            return
        self.remarks.passed(op, "carries the contents of buffers as values", buffers=len(cells))
        operands = op.operands if isinstance(op, scf.IfOp) else [*op.operands, *before]
        types = [*op.result_types, *(value.type for value in before)]
        regions = [_moved(region) for region in op.regions]
        new = remade(op, operands, types, regions)
        known = len(op.results)
        Rewriter.replace_op(op, new, new.results[:known])
        self.contents.update(zip(cells, new.results[known:]))

    def _content(self, cell: memref.AllocOp) -> SSAValue:
        if cell not in self.contents:
            return self._zero(cell.memref.type.get_element_type())
        return self.contents[cell]

    def _zero(self, type_: Attribute) -> SSAValue:
        """A constant at the beginning of the function."""
        if type_ not in self.zeros:
            constant = arith.ConstantOp(number_attr(0, type_))
            function = self.entry.parent_op()
            assert function is not None
            constant.location = function.location
            Rewriter.insert_op(constant, InsertPoint.at_start(self.entry))
            self.zeros[type_] = constant.result
        return self.zeros[type_]

    def _origin(self, memory: SSAValue) -> list[SSAValue]:
        """Indices of a memref's first element."""
        assert isinstance(memory.type, MemRefType)
        return [self._zero(IndexType())] * memory.type.get_num_dims()


def _moved(region: Region) -> Region:
    new = Region()
    region.move_blocks(new)
    return new


def _holds_one(value: SSAValue) -> bool:
    """Return True for a memref of one element."""
    return isinstance(value.type, MemRefType) and all(extent == 1 for extent in value.type.get_shape())


def _uses(allocation: memref.AllocOp) -> tuple[list[SSAValue], list[tuple[Operation, bool]]] | None:
    """Return a buffer with its views and its accesses.

    The buffer has one element. A view of any shape has at most that element: no index of an access needs to be looked at. An
    access comes with True if it stores. The result is None if something uses the buffer in another way.
    """
    views: list[SSAValue] = [allocation.memref]
    accesses: list[tuple[Operation, bool]] = []
    for view in views:
        for use in view.uses:
            op = use.operation
            match op:
                case memref.LoadOp():
                    accesses.append((op, False))
                case memref.StoreOp() if use.index == 1:
                    accesses.append((op, True))
                case memref.CopyOp() if _holds_one(op.source) and _holds_one(op.destination):
                    accesses.append((op, use.index == 1))
                case memref.ExpandShapeOp() | memref.CollapseShapeOp() | memref.CastOp() | memref.SubviewOp():
                    views.append(op.results[0])
                case _:
                    return None
    for access, stores in accesses:
        if stores and any(
            isinstance(terminator(region.block), scf.ConditionOp) for _, region in enclosing(access)
        ):
            return None
    return views, accesses
