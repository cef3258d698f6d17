"""Program under reduction: its complexity, and the editor of a copy.

The editor makes the changes of one step, and replaces values by others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.compiler.checking.feeds import Feed
from loomir.compiler.checking.running import has_boundary_form
from loomir.compiler.feeds.signature import Port, Signature
from loomir.dialects.element_types import dtype_of, element_of, memref_type_of, set_type, signless, stored
from loomir.dialects.interface import (
    BLOB,
    DIM,
    NAME,
    ROLE,
    Entry,
    argument_names,
    arguments_of,
    main_function,
    result_names,
    results_of,
    set_arguments,
    set_results,
)
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.types import GraphType, same_kind
from loomir.dialects.region_flow import counterparts
from loomir.dialects.scalars.row import number_attr
from loomir.dialects.upstream.walking import walk


@dataclass(frozen=True)
class ReductionCase:
    """Module, and its feed if loomir runs it."""

    module: ModuleOp
    feed: Feed | None = None


Measure = tuple[int, int, int, int, int]


def measure(case: ReductionCase) -> Measure:
    """Return the complexity of a program, the most important number first.

    Every step of the reducer must lower it. The numbers are: operations, and values that they produce or take; constants
    and arguments; elements of types; different contents; attributes.
    """
    operations = leaves = elements = contents = attributes = 0
    for op in walk(case.module):
        if isinstance(op, memref.AllocOp | memref.ViewOp):
            leaves += 1
        elif is_constant(op):
            leaves += 1
            contents += _variety(constant_contents(op))
        elif not isinstance(op, ModuleOp):
            operations += 1 + len(op.results) + len(op.operands)
        attributes += len(op.attributes)
        for value in op.results:
            elements += _size(value.type)
        for region in op.regions:
            for block in region.blocks:
                operations += 0 if isinstance(op, FuncOp) else len(block.args)
                leaves += len(block.args) if isinstance(op, FuncOp) else 0
                elements += sum(_size(a.type) for a in block.args)
        if isinstance(op, FuncOp):
            for entry in arguments_of(op):
                attributes += len(entry.attributes)
                # A buffer for an output is worse than one that is only used here.
                leaves += 3 * entry.has(ROLE)
                if entry.blob is not None:
                    contents += _variety(entry.blob)
    for value in (case.feed or {}).values():
        contents += sum(_variety(v) for v in (value if isinstance(value, list) else [value]))
    return operations, leaves, elements, contents, attributes


def _size(type_: Attribute) -> int:
    if isinstance(type_, TensorType | MemRefType):
        # An extent that is not known is worse than any number.
        return 1 + sum(1000 if e == DYNAMIC_INDEX else e for e in type_.get_shape())
    return 10_000 if isinstance(type_, UnrankedTensorType) else 1


def _variety(value: Any) -> int:
    """Return how much there is to read in an array.

    It is nothing for zeros, and little for few small integers.
    """
    if not isinstance(value, np.ndarray) or value.size > 4096:
        return 0 if value is None else 100_000
    return sum(_length(x) for x in np.unique(stored(value).reshape(-1)).tolist())


def _length(number: float) -> int:
    if number in (0, 1) and not np.signbit(number):
        return int(number)
    # A whole number is as long as its binary form; any other float is longer.
    whole = np.isfinite(number) and number == np.round(number) and abs(number) < 2**20
    return 1 + int(abs(number)).bit_length() if whole else 30


def is_constant(op: Operation) -> bool:
    """Return True if the operation is a constant of GRAPH or below."""
    return isinstance(op, ConstantOp | arith.ConstantOp)


def constant_contents(op: Operation) -> np.ndarray | None:
    """The contents of a constant; None for an attribute of another kind."""
    if isinstance(op, ConstantOp):
        return op.array
    assert isinstance(op, arith.ConstantOp)
    if isinstance(op.value, IntegerAttr | FloatAttr):
        return np.asarray(op.value.value.data)
    return None


Observed = Mapping[SSAValue, Any]
"""Values that were observed when the program last ran."""


ALIGNMENT = 16
"""Where a buffer may begin in the arena."""


class Editor:
    """Copy of a case, to be changed.

    `op` and `value` return the counterpart in the copy of an operation or value of the original.
    """

    def __init__(self, case: ReductionCase, observed: Observed) -> None:
        self._values: dict[SSAValue, SSAValue] = {}
        self.module = case.module.clone(self._values)
        self._ops = counterparts(case.module, self.module)
        self._observed = {self._values[v]: x for v, x in observed.items() if v in self._values}
        self.feed: Feed | None = None if case.feed is None else dict(case.feed)
        self.main = main_function(self.module)
        self.boundary = has_boundary_form(self.main)
        self._names = {*argument_names(self.main), *result_names(self.main)}

    @property
    def block(self) -> Block:
        """The body of `main`."""
        return self.main.body.block

    def case(self) -> ReductionCase:
        """Return the current copy, with a signature that fits its body."""
        self._write_signature()
        return ReductionCase(self.module, self.feed)

    def op(self, original: Operation) -> Operation | None:
        """Return the copy of an operation, or None if it was erased."""
        found: Operation | None = self._ops[original]
        inside: Operation | None = found
        while inside is not None and inside is not self.module:
            inside = inside.parent_op()
        return None if inside is None else found

    # -- values in place of others

    def replace(self, value: SSAValue, by: SSAValue) -> bool:
        """Use another value instead; False where its type does not fit."""
        if value is by or not self.fits(by.type, value.type):
            return False
        value.replace_all_uses_with(by)
        return True

    def fits(self, new: Attribute, old: Attribute) -> bool:
        """Return True if values of one type may replace those of another.

        In GRAPH, shapes may differ.
        """
        if new == old:
            return True
        return not self.boundary and same_kind(new, old)

    def substitute(self, value: SSAValue, *, constant: bool = False) -> bool:
        """Replace a value by its observed value, if possible.

        The replacement is a new input, or a constant. If the value was not observed (it may never have been computed), it is
        replaced by an input of its type, or by zeros. Returns False if there is no such replacement.
        """
        if value.first_use is None:
            return True
        new = self.constant(value) if constant or self.boundary else self._input(value)
        return new is not None and self.replace(value, new)

    def _input(self, value: SSAValue) -> SSAValue | None:
        type_, seen = value.type, self._observed.get(value)
        if not isinstance(type_, GraphType):
            return None
        if isinstance(seen, np.ndarray):
            type_ = TensorType(element_of(seen.dtype), seen.shape)
        elif seen is None and self.feed is not None:
            return self.constant(value)
        name = next(n for k in range(len(self._names) + 1) if (n := f"v{k}") not in self._names)
        self._names.add(name)
        if self.feed is not None:
            self.feed[name] = seen
        return self._add_argument(len(self.main.args), type_, Entry.of(name=name))

    def constant(self, value: SSAValue) -> SSAValue | None:
        """Return a constant with the value's observed contents, or zeros.

        The result is None if its type has no constants.
        """
        type_ = value.type
        shaped = isinstance(type_, TensorType | UnrankedTensorType | MemRefType)
        element = type_.element_type if shaped else type_
        try:
            dtype = dtype_of(element)
        except KeyError:
            return None
        array = _known_array(type_, dtype, self._observed.get(value))
        if array is None:
            return None
        if not shaped:
            return self._insert(arith.ConstantOp(number_attr(array.item(), element))).results[0]
        if isinstance(type_, MemRefType) or (self.boundary and not _is_graph_tensor(type_, self)):
            kind = MemRefType if isinstance(type_, MemRefType) else TensorType
            type_ = kind(signless(element), array.shape)
            return self._add_argument(_first_output(self.main), type_, Entry.of(blob=stored(array)))
        return self._insert(ConstantOp.of(array)).results[0]

    def number(self, value: int, like: SSAValue) -> SSAValue:
        """Return an integer constant of the type of a value.

        The type is a tensor of rank 0 or an element type.
        """
        type_ = like.type
        if isinstance(type_, TensorType):
            return self._insert(
                ConstantOp.of(np.full(type_.get_shape(), value, dtype_of(type_.element_type)))
            ).results[0]
        return self._insert(arith.ConstantOp(number_attr(value, type_))).results[0]

    def _insert(self, op: Operation) -> Operation:
        """Insert an operation at the beginning of `main`.

        Every place sees it there.
        """
        first = self.block.first_op
        assert first is not None
        op.location = first.location
        self.block.insert_op_before(op, first)
        return op

    # -- the signature

    def _add_argument(self, index: int, type_: Attribute, entry: Entry) -> SSAValue:
        entries = arguments_of(self.main)
        argument = self.block.insert_arg(type_, index)
        entries.insert(index, entry)
        set_arguments(self.main, entries)
        self._write_signature()
        return argument

    def remove_unused_arguments(self) -> None:
        """Remove inputs and weights that are never read.

        An input is removed with all of its extents or not at all.
        """
        names = argument_names(self.main)
        groups: dict[str, list[int]] = {}
        for index, entry in enumerate(arguments_of(self.main)):
            if entry.role not in (None, "input"):
                continue
            owner = entry.dim[0] if entry.dim is not None else names[index]
            groups.setdefault(f"blob {index}" if entry.is_constant else owner, []).append(index)
        unused = [
            (owner, indices)
            for owner, indices in groups.items()
            if all(self.block.args[k].first_use is None for k in indices)
        ]
        for owner, _ in unused:
            if self.feed is not None:
                self.feed.pop(owner, None)
        self._remove_arguments([k for _, indices in unused for k in indices])

    def _remove_arguments(self, indices: Sequence[int]) -> None:
        if not indices:
            return
        entries = arguments_of(self.main)
        # An argument without a name is called after its position: it must keep what it is called.
        for index, (name, entry) in enumerate(zip(argument_names(self.main), entries)):
            if not entry.has(NAME, DIM, BLOB):
                entries[index] = entry | Entry.of(name=name)
        for index in sorted(indices, reverse=True):
            self.block.erase_arg(self.block.args[index])
            del entries[index]
        set_arguments(self.main, entries)
        self._write_signature()

    def outputs(self) -> list[str]:
        """Return the names of the program's outputs.

        A sequence or optional that is held in several tensors has the name of the whole.
        """
        if self.boundary:
            return list(dict.fromkeys(map(_whole, Signature.of(self.main).outputs)))
        return list(dict.fromkeys(self._result_names()))

    def _result_names(self) -> list[str]:
        """Return the output that each GRAPH result of `main` belongs to.

        A result is the output itself or a part of it.
        """
        named = zip(result_names(self.main), results_of(self.main))
        return [name if entry.part is None else entry.part[0] for name, entry in named]

    def remove_outputs(self, names: Sequence[str]) -> None:
        """Remove outputs.

        A buffer that an output was written to becomes one of the program's own.
        """
        results: list[int] = []
        buffers: list[int] = []
        if self.boundary:
            for port in Signature.of(self.main).outputs:
                if _whole(port) in names:
                    (results if port.in_results else buffers).append(port.position)
                    results += port.dims.values()
        else:
            results = [k for k, n in enumerate(self._result_names()) if n in names]
        end = self.block.last_op
        assert end is not None
        kept = [k for k in range(len(end.operands)) if k not in results]
        entries, named = results_of(self.main), result_names(self.main)
        end.operands = [end.operands[k] for k in kept]
        set_results(
            self.main,
            [entries[k] if entries[k].has(DIM) else entries[k] | Entry.of(name=named[k]) for k in kept],
        )
        for index in buffers:
            argument = self.block.args[index]
            argument.replace_all_uses_with(self._buffer(memref_type_of(argument)))
        self._remove_arguments(buffers)
        self._write_signature()

    def _buffer(self, type_: MemRefType[Attribute]) -> SSAValue:
        """Create a buffer.

        It is an allocation or, if memory is planned, a view of the arena, which is enlarged accordingly.
        """
        said = zip(self.block.args, arguments_of(self.main))
        arena = next((argument for argument, entry in said if entry.role == "arena"), None)
        if arena is None:
            return self._insert(memref.AllocOp([], [], type_)).results[0]
        arena_type = memref_type_of(arena)
        offset = -(-arena_type.get_shape()[0] // ALIGNMENT) * ALIGNMENT
        size = offset + prod(type_.get_shape()) * dtype_of(type_.element_type).itemsize
        set_type(arena, MemRefType(arena_type.element_type, [size]))
        start = self._insert(arith.ConstantOp(IntegerAttr.from_index_int_value(offset)))
        view = memref.ViewOp.build(operands=[arena, start.results[0], []], result_types=[type_])
        view.location = start.location
        self.block.insert_op_after(view, start)
        return view.results[0]

    def _write_signature(self) -> None:
        end = self.block.last_op
        assert end is not None
        self.main.function_type = FunctionType.from_lists(
            [a.type for a in self.block.args], [v.type for v in end.operands]
        )


def _whole(port: Port) -> str:
    """Return the name of the output that a port belongs to.

    The port is the output itself or a part of it.
    """
    return port.name if port.part is None else port.part[0]


def _first_output(main: FuncOp) -> int:
    """Return the end of the weights.

    It is the position of the first buffer for an output or the arena.
    """
    entries = arguments_of(main)
    return next((k for k, e in enumerate(entries) if e.role not in (None, "input")), len(entries))


def _is_graph_tensor(type_: Attribute, editor: Editor) -> bool:
    """Return True if a tensor's constant is `ov.constant`.

    This holds as long as there are operations of GRAPH.
    """
    return isinstance(type_, TensorType | UnrankedTensorType) and any(
        op.dialect_name() == "ov" for op in walk(editor.module)
    )


def _known_array(type_: Attribute, dtype: np.dtype, seen: Any) -> np.ndarray | None:
    """Return the observed contents, or zeros of the type, or None.

    Zeros require a known shape.
    """
    if seen is not None and not isinstance(seen, list):
        return np.asarray(seen).astype(dtype, copy=False)
    if isinstance(type_, UnrankedTensorType):
        return np.zeros((), dtype)
    shape = type_.get_shape() if isinstance(type_, TensorType | MemRefType) else ()
    return None if DYNAMIC_INDEX in shape else np.zeros(shape, dtype)


def inline(block: Block, before: Operation, values: Sequence[SSAValue]) -> Operation:
    """Move the operations of a block before another operation.

    `values` replace the arguments of the block. Returns the terminator of the block, which is moved as well.
    """
    for argument, value in zip(block.args, values, strict=True):
        argument.replace_all_uses_with(value)
    end = block.last_op
    assert end is not None
    parent = before.parent
    assert parent is not None
    for op in list(block.ops):
        op.detach()
        parent.insert_op_before(op, before)
    return end


def erase(op: Operation) -> None:
    """Erase an operation whose results nothing uses."""
    op.detach()
    op.erase()


Edit = Callable[[Editor, Any], bool]


class ReductionStep(Protocol):
    """Kind of simplification.

    It determines where it may be tried, and how it changes a copy of the program there.
    """

    name: str

    def targets(self, case: ReductionCase) -> Sequence[Any]:
        """Return the places, in the order in which they are tried.

        They belong to this very case.
        """
        ...

    def apply(self, editor: Editor, target: Any) -> bool:
        """Change the copy; False where nothing was changed."""
        ...
