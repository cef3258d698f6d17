"""Emission: the function rewritten to memrefs, following a `Plan` and deciding nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.index_builder import Extent
from loomir.passes.structured.bufferize.build import MemRefBuilder, memref_type
from loomir.passes.structured.bufferize.emit_linalg import emit_structured
from loomir.passes.structured.bufferize.emit_regions import emit_if, emit_loop
from loomir.passes.structured.bufferize.memrefs import groups_of, identity_memref
from loomir.passes.structured.bufferize.model import (
    Cover,
    Group,
    InOutput,
    InSlice,
    InToken,
    Plan,
    Root,
    RootKind,
)
from loomir.passes.structured.bufferize.placement import origins
from loomir.passes.structured.bufferize.slices import mixed, reshape_source, slice_bounds


def emit(func: FuncOp, plan: Plan) -> None:
    """Replace the body and signature of `func`."""
    Emitter(func, plan).run()


class Emitter(MemRefBuilder):
    """The state of emission: what each old value and each root has become."""

    plan: Plan
    values: dict[SSAValue, SSAValue]
    """Scalars and memrefs by the old value."""
    roots: dict[Root, SSAValue]

    def __init__(self, func: FuncOp, plan: Plan) -> None:
        self.func, self.plan = func, plan
        self.values, self.roots = {}, {}
        self.block = Block()
        self.prelude = Block()
        self.outputs: list[SSAValue] = []
        self.done: set[Operation] = set()
        super().__init__(self.block, func.location)

    # The function.

    def run(self) -> None:
        func, old = self.func, self.func.body.block
        outputs = func.function_type.outputs.data
        arg_attrs = list(func.arg_attrs or [DictionaryAttr({}) for _ in old.args])
        res_attrs = list(func.res_attrs or [DictionaryAttr({}) for _ in outputs])
        for i, arg in enumerate(old.args):
            if isinstance(arg.type, TensorType):
                new = self.block.insert_arg(identity_memref(arg.type), i, arg.location)
                self.roots[self.plan.aliases[arg].root] = new
                if "loomir.blob" not in arg_attrs[i].data:
                    arg_attrs[i] = _with_role(arg_attrs[i], "input")
            else:
                new = self.block.insert_arg(arg.type, i, arg.location)
            new.name_hint = arg.name_hint
            self.values[arg] = new
        results: list[Attribute] = []
        result_attrs: list[DictionaryAttr] = []
        for type, attrs in zip(outputs, res_attrs, strict=True):
            if isinstance(type, TensorType):
                out = self.block.insert_arg(identity_memref(type), len(self.block.args))
                self.outputs.append(out)
                arg_attrs.append(_with_role(attrs, "output"))
            else:
                results.append(type)
                result_attrs.append(attrs)
        self.emit_block(old)
        first = self.block.first_op
        assert first is not None
        for op in list(self.prelude.ops):
            op.detach()
            self.block.insert_op_before(op, first)
        for view in reversed(self.views):
            if not any(result.first_use for result in view.results):
                view.detach()
                view.erase()
        func.detach_region(func.body)
        func.add_region(Region(self.block))
        func.properties["function_type"] = FunctionType.from_lists(list(self.block.arg_types), results)
        func.properties["arg_attrs"] = ArrayAttr(arg_attrs)
        if func.res_attrs is not None:
            func.properties["res_attrs"] = ArrayAttr(result_attrs)

    # Roots.

    def memref_of(self, root: Root) -> SSAValue:
        """The buffer of a root; made now if this is the first time that it is asked for."""
        if root not in self.roots:
            self.roots[root] = self.make_buffer(root)
        return self.roots[root]

    def make_buffer(self, root: Root) -> SSAValue:
        assert root.kind is RootKind.FRESH, "only fresh roots get their buffer when it is needed"
        match root.home:
            case None:
                with self.at(self.prelude):
                    return self.insert(memref.AllocOp((), (), identity_memref(root.type))).memref
            case InToken(token):
                return self.reshape(self.memref_of(token), root.type)
            case InOutput(index):
                with self.at(self.prelude):
                    return self.reshape(self.outputs[index], root.type)
            case InSlice(insert):
                return self.slice_home(root, insert)

    def slice_home(self, root: Root, insert: tensor.InsertSliceOp) -> SSAValue:
        """The slice that `insert` would copy `root` into, with the reshapes before the insertion undone."""
        target = self.plan.dests[insert.result].root
        assert isinstance(insert.dest.type, TensorType)
        whole = self.reshape(self.memref_of(target), insert.dest.type)
        view = self.subview(whole, *(self.indices(bound) for bound in slice_bounds(insert)))
        base, reshapes = reshape_source(insert.source)
        if base.type == root.type:
            for op in reshapes:
                assert isinstance(op.src.type, TensorType)
                shape = op.src.type.get_shape()
                if isinstance(op, tensor.ExpandShapeOp):
                    view = self.collapse(view, groups_of(op.reassociation), shape)
                else:
                    view = self.expand(view, groups_of(op.reassociation), shape)
        elif DYNAMIC_INDEX not in memref_type(view).get_shape():
            view = self.reshape(view, root.type)
        return view

    def view_of(self, root: Root, like: SSAValue) -> SSAValue:
        """The view of a fresh root that stands for a tensor like `like`."""
        alias = self.plan.aliases[like]
        assert isinstance(like.type, TensorType)
        if alias.version is None and alias.cover is Cover.PREFIX:
            return self.replay(like, root)
        if like.type.has_static_shape():
            return self.reshape(self.memref_of(root), like.type)
        return self.packed(self.memref_of(root), self.dims_of(like))

    def replay(self, value: SSAValue, root: Root) -> SSAValue:
        """The views that lead from a tensor.empty to `value`, applied to the buffer of `root`."""
        chain: list[Operation] = []
        while not isinstance(value.owner, tensor.EmptyOp):
            assert isinstance(value.owner, Operation)
            chain.append(value.owner)
            value = value.owner.operands[0]
        assert isinstance(value.type, TensorType)
        view = self.memref_of(root)
        if value.type != root.type:
            view = self.reshape(view, value.type)
        for op in reversed(chain):
            view = self.view(op, view)
        return view

    def view(self, op: Operation, source: SSAValue) -> SSAValue:
        """What a view operation of tensors makes of the memref `source`."""
        match op:
            case tensor.ExtractSliceOp():
                return self.subview(source, *(self.indices(bound) for bound in slice_bounds(op)))
            case tensor.ExpandShapeOp():
                shape = self.indices(mixed(_ints(op.static_output_shape), op.dynamic_output_shape))
                return self.expand(source, groups_of(op.reassociation), shape)
            case tensor.CollapseShapeOp():
                assert isinstance(op.result.type, TensorType)
                return self.collapse(source, groups_of(op.reassociation), op.result.type.get_shape())
            case _:
                raise AssertionError(f"{op.name} is not a view")

    # Values.

    def indices(self, indices: Sequence[Extent]) -> list[Extent]:
        return [index if isinstance(index, int) else self.values[index] for index in indices]

    def data(self, op: Operation, operand: int) -> SSAValue:
        """What an operand of `op` has become."""
        value = op.operands[operand]
        root = self.plan.materialised.get((op, operand))
        return self.values[value] if root is None else self.view_of(root, value)

    def dims_of(self, value: SSAValue) -> list[Extent]:
        """The extents of a tensor value."""
        assert isinstance(value.type, TensorType)
        if value.type.has_static_shape():
            return list(value.type.get_shape())
        match op := value.owner:
            case tensor.ExtractSliceOp():
                return self.indices(slice_bounds(op)[1])
            case tensor.ExpandShapeOp():
                return self.indices(mixed(_ints(op.static_output_shape), op.dynamic_output_shape))
            case tensor.CollapseShapeOp():
                dims = self.dims_of(op.src)
                return [self.product([dims[dim] for dim in group]) for group in groups_of(op.reassociation)]
            case tensor.InsertSliceOp() | tensor.InsertOp():
                return self.dims_of(op.dest)
            case LinalgStructuredOperation():
                return self.dims_of(op.outputs[value.index])  # pyright: ignore[reportAttributeAccessIssue]
            case _:
                raise AssertionError(f"a dynamic tensor cannot come from {op}")

    # Operations.

    def emit_block(self, block: Block) -> None:
        for op in block.ops:
            self.emit_op(op)

    def emit_op(self, op: Operation) -> None:
        if op not in self.done:
            self.before(op)
            self.translate(op)

    def before(self, op: Operation) -> None:
        """What the plan wants done before `op`: views that are written early, and copies."""
        self.location = op.location
        number = self.plan.numbers[op]
        for moved in self.plan.hoisted.get(number, ()):
            self.clone(moved)
        for root in self.plan.slices_at.get(number, ()):
            self.memref_of(root)
        for copy in self.plan.copies_before.get(op, ()):
            self.copy(self.values[copy.source], self.view_of(copy.root, copy.source))

    def translate(self, op: Operation) -> None:
        match op:
            case tensor.EmptyOp():
                pass
            case tensor.CollapseShapeOp() if op in self.plan.copies_before:
                root = self.plan.copies_before[op][0].root
                self.values[op.result] = self.view(op, self.view_of(root, op.src))
            case tensor.ExtractSliceOp() | tensor.ExpandShapeOp() | tensor.CollapseShapeOp():
                if self.plan.aliases[op.results[0]].version is not None:
                    self.values[op.results[0]] = self.view(op, self.values[op.operands[0]])
            case tensor.PadOp():
                self.emit_pad(op)
            case tensor.ExtractOp():
                load = memref.LoadOp.get(self.data(op, 0), [self.values[i] for i in op.indices])
                self.values[op.result] = self.insert(load).res
            case tensor.InsertOp():
                target = self.destination(op, 1)
                self.insert(
                    memref.StoreOp.get(self.values[op.scalar], target, [self.values[i] for i in op.indices])
                )
                self.values[op.result] = target
            case tensor.InsertSliceOp():
                self.emit_insert_slice(op)
            case LinalgStructuredOperation():
                emit_structured(self, op)
            case scf.ForOp() | scf.WhileOp():
                emit_loop(self, op)
            case scf.IfOp():
                emit_if(self, op)
            case ReturnOp():
                for index, value in self.plan.return_copies.items():
                    self.copy(self.values[value], self.outputs[index])
                scalars = [v for v in op.operands if not isinstance(v.type, TensorType)]
                self.insert(ReturnOp(*(self.values[v] for v in scalars)))
            case _:
                self.clone(op)

    def clone(self, op: Operation) -> None:
        if op not in self.done:
            self.done.add(op)
            new = op.clone(self.values)
            self.insert(new)

    def destination(self, op: Operation, operand: int) -> SSAValue:
        """The memref that `op` writes for destination `operand`, filled if the old contents matter."""
        value = op.operands[operand]
        first = (
            1
            if isinstance(op, tensor.InsertOp | tensor.InsertSliceOp)
            else len(op.operands) - len(op.results)
        )
        dest = self.plan.dests[op.results[operand - first]]
        if not dest.fresh:
            return self.values[value]
        target = self.view_of(dest.root, value)
        if dest.read:
            self.copy(self.values[value], target)
        return target

    def emit_insert_slice(self, op: tensor.InsertSliceOp) -> None:
        dest = self.plan.dests[op.result]
        assert isinstance(op.result.type, TensorType)
        if dest.nothing:
            if op.dest in self.values:
                self.values[op.result] = self.values[op.dest]
            else:
                self.values[op.result] = self.reshape(self.memref_of(dest.root), op.result.type)
            return
        target = self.destination(op, 1)
        self.values[op.result] = target
        home = origins(self.plan.aliases[op.source].root)[-1].home
        if isinstance(home, InSlice) and home.insert is op:
            return
        view = self.subview(target, *(self.indices(bound) for bound in slice_bounds(op)))
        self.copy(self.data(op, 0), view)

    def emit_pad(self, op: tensor.PadOp) -> None:
        if op in self.plan.virtual_pads:
            self.values[op.result] = self.values[op.source]
            return
        root = self.plan.dests[op.result].root
        target = self.memref_of(root)
        padding = op.region.block.last_op
        assert isinstance(padding, tensor.YieldOp)
        self.add_named(FillOp([self.values[padding.arguments[0]]], [target], []))
        low = self.indices(mixed(_ints(op.static_low), op.low))
        sizes = self.dims_of(op.source)
        self.copy(self.data(op, 0), self.subview(target, low, sizes, [1] * len(sizes)))
        self.values[op.result] = target

    def enter_identities(self, groups: Sequence[Group]) -> None:
        """Let slots and results of identity groups be the buffer that the operation was given."""
        for group in groups:
            for root in group.inputs:
                self.memref_of(root)
            if group.identity:
                given = self.memref_of(group.inputs[0])
                for (slot,) in group.slots:
                    self.roots[slot] = self.reshape(given, slot.type)
                self.roots[group.outputs[0]] = self.reshape(given, group.outputs[0].type)

    def buffer(self, root: Root, type: TensorType[Attribute]) -> SSAValue:
        return self.reshape(self.memref_of(root), type)


def _with_role(attrs: DictionaryAttr, role: str) -> DictionaryAttr:
    return DictionaryAttr({**attrs.data, "loomir.role": StringAttr(role)})


def _ints(attr: Attribute) -> list[int]:
    assert isinstance(attr, DenseArrayBase)
    return [value for value in attr.get_values() if isinstance(value, int)]
