"""Steps on outputs, single operations, and data of a program.

An operation is removed, and its results are replaced. The data are constants, inputs, extents, types and attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from loomir.compiler.formats.mlir.parser import make_context
from loomir.dialects.attributes import constant_attr
from loomir.dialects.element_types import AnyTensor, element_of, set_type
from loomir.dialects.interface import (
    ALIGN,
    BLOB,
    BOUNDS,
    DIM,
    NAME,
    ROLE,
    TYPE,
    Entry,
    argument_names,
    arguments_of,
    main_function,
    results_of,
    set_arguments,
    set_results,
)
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ovseq.types import OptionalType, SequenceType
from loomir.dialects.scalars.row import number_attr
from loomir.dialects.upstream.walking import walk
from loomir.passes.graph.ov_infer import OvInferPass
from loomir.tools.reduce.editor import Editor, ReductionCase, constant_contents, erase, is_constant


class Outputs:
    """Take away outputs of the program, but not all."""

    name = "outputs"

    def targets(self, case: ReductionCase) -> Sequence[str]:
        return Editor(case, {}).outputs()

    def apply(self, editor: Editor, target: str) -> bool:
        if editor.outputs() == [target]:
            return False
        editor.remove_outputs([target])
        return True


def operations_of(case: ReductionCase) -> list[Operation]:
    """Return the operations that a step may remove, the last one first.

    After its removal, the operations of its operands have one use less.
    """
    found = [
        op
        for op in walk(case.module)
        if not isinstance(op, ModuleOp | FuncOp) and not is_constant(op) and not op.has_trait(IsTerminator)
    ]
    return found[::-1]


class ByOperand:
    """An operation's results become an operand that fits; one without results goes."""

    name = "operations by operands"

    def targets(self, case: ReductionCase) -> Sequence[Operation]:
        return operations_of(case)

    def apply(self, editor: Editor, target: Operation) -> bool:
        op = editor.op(target)
        if op is None:
            return False
        changed = [self._replace(editor, result, op) for result in op.results]
        if not all(changed):
            return any(changed)
        erase(op)
        return True

    def _replace(self, editor: Editor, result: SSAValue, op: Operation) -> bool:
        return result.first_use is None or any(editor.replace(result, operand) for operand in op.operands)


class BySeen(ByOperand):
    """An operation's results become what they were when the program ran: inputs."""

    name = "operations by inputs"

    def _replace(self, editor: Editor, result: SSAValue, op: Operation) -> bool:
        return editor.substitute(result)


class ByConstant(ByOperand):
    """An operation's results become constants."""

    name = "operations by constants"

    def _replace(self, editor: Editor, result: SSAValue, op: Operation) -> bool:
        return editor.substitute(result, constant=True)


SIMPLER: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "first": lambda a: np.broadcast_to(a.reshape(-1)[:1].reshape((1,) * a.ndim), a.shape).copy(),
    "rounded": lambda a: a if a.dtype.kind in "biu" else np.round(a.astype(np.float64)).astype(a.dtype),
}
"""Replacements of an array, the simplest first."""
KEPT = frozenset({NAME, BLOB, ROLE, TYPE, DIM, BOUNDS, ALIGN, "loomir.pads"})
"""Attributes that a program means something by."""


def _simpler(array: np.ndarray, how: str) -> np.ndarray | None:
    """The array made simpler in one way; None where that changes nothing."""
    if not array.size:
        return None
    with np.errstate(all="ignore"):
        new = SIMPLER[how](array)
    return None if new.tobytes() == np.ascontiguousarray(array).tobytes() else new


class Constants:
    """Constants and weights of simple numbers."""

    name = "constants"

    def targets(self, case: ReductionCase) -> Sequence[tuple[Operation | int, str]]:
        places: list[Operation | int] = [op for op in walk(case.module) if is_constant(op)]
        entries = arguments_of(main_function(case.module))
        places += [k for k, entry in enumerate(entries) if entry.is_constant]
        return [(place, how) for how in SIMPLER for place in places]

    def apply(self, editor: Editor, target: tuple[Operation | int, str]) -> bool:
        place, how = target
        if isinstance(place, int):
            return self._weight(editor, place, how)
        op = editor.op(place)
        array = None if op is None else constant_contents(op)
        new = None if array is None else _simpler(np.asarray(array), how)
        if op is None or new is None:
            return False
        if isinstance(op, ConstantOp):
            op.properties["value"] = constant_attr(new)
        else:
            assert isinstance(op, arith.ConstantOp)
            op.properties["value"] = number_attr(new.item(), op.result.type)
        return True

    def _weight(self, editor: Editor, index: int, how: str) -> bool:
        entries = arguments_of(editor.main)
        blob = entries[index].blob
        new = None if blob is None else _simpler(blob, how)
        if new is None:
            return False
        entries[index] |= Entry.of(blob=new)
        set_arguments(editor.main, entries)
        return True


class Inputs:
    """Replaces the feeds of the program by simple numbers."""

    name = "inputs"

    def targets(self, case: ReductionCase) -> Sequence[tuple[str, str]]:
        return [(name, how) for how in SIMPLER for name in (case.feed or {})]

    def apply(self, editor: Editor, target: tuple[str, str]) -> bool:
        name, how = target
        assert editor.feed is not None
        value = editor.feed[name]
        if isinstance(value, list):
            if how == "zeros" and value:
                editor.feed[name] = value[: len(value) // 2]
                return True
            return False
        new = _simpler(value, how) if isinstance(value, np.ndarray) else None
        if new is None:
            return False
        editor.feed[name] = new
        return True


class Specialise:
    """Specialises inputs of GRAPH to the shapes of their feeds.

    Types become those that inference determines.
    """

    name = "types"

    def targets(self, case: ReductionCase) -> Sequence[bool]:
        return [True, False]

    def apply(self, editor: Editor, target: bool) -> bool:
        if editor.boundary:
            return False
        if target and editor.feed is not None:
            for argument, name in zip(editor.block.args, _names(editor)):
                value = editor.feed.get(name)
                if isinstance(value, np.ndarray):
                    set_type(argument, TensorType(element_of(value.dtype), value.shape))
        OvInferPass().apply(make_context(), editor.module)
        return True


def _names(editor: Editor) -> list[str]:
    return argument_names(editor.main)


class Extents:
    """Replaces one extent by a smaller one everywhere.

    It replaces the extent in types, constants and inputs, and in numbers that may denote it.
    """

    name = "extents"

    def targets(self, case: ReductionCase) -> Sequence[tuple[int, int, bool]]:
        extents = sorted({e for v in _values(case.module) for e in _shape(v.type) if e > 1}, reverse=True)
        return [
            (e, smaller, numbers)
            for e in extents
            for smaller in sorted({1, 2, e // 2} - {e})
            for numbers in (False, True)
        ]

    def apply(self, editor: Editor, target: tuple[int, int, bool]) -> bool:
        change = _Resize(*target)
        for value in _values(editor.module):
            set_type(value, change.type(value.type))
        for op in walk(editor.module):
            change.operation(op)
        if editor.feed is not None:
            editor.feed = {name: change.value(v) for name, v in editor.feed.items()}
        return True


class _Resize:
    """Replaces extents of `old` by `new`.

    With `numbers`, small integer constants of this value are replaced as well.
    """

    def __init__(self, old: int, new: int, numbers: bool) -> None:
        self.old, self.new, self.numbers = old, new, numbers

    def extent(self, extent: int) -> int:
        return self.new if extent == self.old else extent

    def type(self, type_: Attribute) -> Attribute:
        if isinstance(type_, AnyTensor | SequenceType):
            return self.tensors(type_)
        if isinstance(type_, MemRefType) and isinstance(type_.layout, NoneAttr):
            return MemRefType(type_.element_type, [self.extent(e) for e in type_.get_shape()])
        return OptionalType(self.tensors(type_.value)) if isinstance(type_, OptionalType) else type_

    @overload
    def tensors(self, type_: AnyTensor) -> AnyTensor: ...

    @overload
    def tensors(self, type_: SequenceType) -> SequenceType: ...

    def tensors(self, type_: AnyTensor | SequenceType) -> AnyTensor | SequenceType:
        if isinstance(type_, SequenceType):
            return SequenceType(self.tensors(type_.element))
        if isinstance(type_, UnrankedTensorType):
            return type_
        return TensorType(type_.element_type, [self.extent(e) for e in type_.get_shape()], type_.encoding)

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.value(v) for v in value]
        return self.array(value) if isinstance(value, np.ndarray) else value

    def array(self, array: np.ndarray) -> np.ndarray:
        array = array[tuple(slice(self.extent(e)) for e in array.shape)]
        if self.numbers and array.dtype.kind in "iu" and array.size <= 8:
            array = np.where(array == self.old, np.asarray(self.new, array.dtype), array)
        return np.array(array)

    def operation(self, op: Operation) -> None:
        if isinstance(op, ConstantOp):
            op.properties["value"] = constant_attr(self.array(op.array))
        elif isinstance(op, arith.ConstantOp):
            if self.numbers and isinstance(op.value, IntegerAttr) and op.value.value.data == self.old:
                op.properties["value"] = IntegerAttr(self.new, op.value.type)
        elif isinstance(op, FuncOp):
            set_arguments(op, [self._entry(entry) for entry in arguments_of(op)])
            set_results(op, [self._entry(entry) for entry in results_of(op)])
        else:
            for table in (op.properties, op.attributes):
                for key, attribute in table.items():
                    if key in ("static_sizes", "static_output_shape", BOUNDS):
                        table[key] = self._numbers(attribute)

    def _entry(self, entry: Entry) -> Entry:
        if entry.blob is not None:
            entry |= Entry.of(blob=self.array(entry.blob))
        new = dict(entry.attributes)
        for key in (TYPE, BOUNDS):
            if key in new:
                new[key] = self.type(new[key]) if key == TYPE else self._numbers(new[key])
        return Entry(new)

    def _numbers(self, attribute: Attribute) -> Attribute:
        if isinstance(attribute, DenseArrayBase):
            return DenseArrayBase.from_list(i64, [self.extent(int(n)) for n in attribute.get_values()])
        if isinstance(attribute, ArrayAttr):
            return ArrayAttr([self._numbers(a) for a in attribute])
        if isinstance(attribute, IntegerAttr):
            return IntegerAttr(self.extent(attribute.value.data), attribute.type)
        return attribute


class Attributes:
    """Attributes that nothing needs: notes on operations, arguments and the module."""

    name = "attributes"

    def targets(self, case: ReductionCase) -> Sequence[tuple[Operation, str]]:
        found = [(op, key) for op in walk(case.module) for key in op.attributes]
        main = main_function(case.module)
        extra = {key for entry in arguments_of(main) for key in entry.attributes if key not in KEPT}
        return [*found, *((main, key) for key in sorted(extra))]

    def apply(self, editor: Editor, target: tuple[Operation, str]) -> bool:
        op, key = editor.op(target[0]), target[1]
        if op is None:
            return False
        if isinstance(op, FuncOp):
            set_arguments(op, [entry.without(key) for entry in arguments_of(op)])
        op.attributes.pop(key, None)
        return True


def _values(module: Operation) -> list[SSAValue]:
    """Every value of a module."""
    found: list[SSAValue] = []
    for op in walk(module):
        found += op.results
        found += [a for region in op.regions for block in region.blocks for a in block.args]
    return found


def _shape(type_: Attribute) -> Sequence[int]:
    return (
        [e for e in type_.get_shape() if e != DYNAMIC_INDEX]
        if isinstance(type_, TensorType | MemRefType)
        else ()
    )
