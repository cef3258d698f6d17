"""Interface of `main`: the attributes of its arguments and results.

They are read and written here, and nowhere else.

```mlir
func.func @main(%x: tensor<?x16xf32> {loomir.name = "x", loomir.bounds = [8 : i64, 16 : i64]}) -> (tensor<?x16xf32> {loomir.name = "y"})
```

| attribute | of | says |
|---|---|---|
| `name` | tensors | its name for the user; without one it is `arg0`, `result0` … after its position |
| `names` | the same | all names that the model has for it, if there are several |
| `bounds` | the same | the largest extent of each dimension, -1 where there is none |
| `value` | arguments in GRAPH | the only value that it takes, fixed by the user |
| `scale`, `zero_point` | the same | the quantisation (`Quantisation`) that maps its integers to real numbers (`ov-quantize-io`) |
| `state`, `initial` | and of results | the variable whose value it is; the value before the first call, if not zeros |
| `of`, `part` | tensors | the user's sequence or optional that it is part of, and which part (`convert-ovseq-to-ov`) |
| `type` | tensors below GRAPH | the tensor that the user sees, where the program holds it in another form |
| `dim` | `index` below GRAPH | the extent of a tensor's dimension: `"x:0"` |
| `blob` | arguments below GRAPH | the contents of a constant |
| `role` | buffers | `input`, `output` or `arena` |
| `align` | the arena | its alignment in bytes |

A `.mlir` file may contain any attributes. An `Entry` keeps an attribute of the wrong kind, but treats it as absent;
`check_attributes` (`interface_checks.py`) rejects it.

A `Quantisation` is of reals as 8-bit integers at the boundary of a program: an integer stands for the real number
scale · (integer − zero point).

`with_full_constants` creates a module that any tool can read: every constant is in full, also those of `main`'s arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f64,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument

from loomir.dialects.attributes import BlobAttr, ConstantAttr, constant_array, constant_attr, dense_attr
from loomir.dialects.element_types import element_of, signless
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error


@dataclass(frozen=True)
class Quantisation:
    """One scale and one zero point for a whole tensor."""

    scale: float
    zero_point: int

    def integers(self, reals: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
        """Quantise real numbers to integers of the given type.

        Rounds to the nearest integer, ties to even; saturates values out of range; maps NaN to 0.
        """
        limits = np.iinfo(dtype)
        numbers = np.nan_to_num(np.asarray(reals, np.float64), posinf=np.inf, neginf=-np.inf)
        steps = np.rint(numbers / self.scale) + self.zero_point
        return steps.clip(limits.min, limits.max).astype(dtype)

    def reals(self, integers: np.ndarray) -> np.ndarray:
        """Dequantise integers to float32."""
        return (self.scale * (np.asarray(integers, np.float64) - self.zero_point)).astype(np.float32)

    def __str__(self) -> str:
        zero = self.zero_point
        integer = "q" if not zero else f"(q {'-' if zero > 0 else '+'} {abs(zero)})"
        return f"{self.scale:.9g} * {integer}"


NAME, NAMES, BOUNDS, VALUE = "loomir.name", "loomir.names", "loomir.bounds", "loomir.value"
STATE, INITIAL, OF, PART = "loomir.state", "loomir.initial", "loomir.of", "loomir.part"
SCALE, ZERO_POINT = "loomir.scale", "loomir.zero_point"
TYPE, DIM, BLOB, ROLE, ALIGN = "loomir.type", "loomir.dim", "loomir.blob", "loomir.role", "loomir.align"
EXTENTS_ONLY = "loomir.extents_only"
"""Attribute of operations between GRAPH and STRUCTURED without computed results.

Only the extents of their results are needed; the results are neither computed nor checked.
"""

Bounds = tuple[int | None, ...]
"""The largest extent of each dimension; None where there is none."""
NO_BOUND = -1
"""In the attribute."""

Role = Literal["input", "output", "arena"]


@dataclass(frozen=True)
class Entry:
    """Attributes of one argument or result.

    `a | b` has the attributes of `b` and, for all other keys, those of `a`.
    """

    attributes: Mapping[str, Attribute] = field(default_factory=dict)

    @staticmethod
    def of(
        *,
        name: str | None = None,
        names: Sequence[str] = (),
        value: np.ndarray | None = None,
        state: str | None = None,
        initial: np.ndarray | None = None,
        part: tuple[str, str] | None = None,
        blob: np.ndarray | None = None,
        role: Role | None = None,
        type: TensorType | None = None,
        dim: tuple[str, int] | None = None,
        bounds: Sequence[int | None] | None = None,
        align: int | None = None,
        quantisation: Quantisation | None = None,
    ) -> Entry:
        """Create an entry with these attributes.

        `value` prints in full, `initial` and `blob` only if they are small.
        """
        said: dict[str, Attribute | None] = {
            NAME: _text(name),
            NAMES: ArrayAttr([StringAttr(n) for n in names]) if names else None,
            VALUE: None if value is None else dense_attr(value),
            STATE: _text(state),
            INITIAL: None if initial is None else constant_attr(initial),
            OF: None if part is None else StringAttr(part[0]),
            PART: None if part is None else StringAttr(part[1]),
            BLOB: None if blob is None else constant_attr(blob),
            ROLE: _text(role),
            TYPE: type,
            DIM: None if dim is None else StringAttr(f"{dim[0]}:{dim[1]}"),
            BOUNDS: None if bounds is None else bounds_attr(bounds),
            ALIGN: None if align is None else IntegerAttr(align, i64),
            SCALE: None if quantisation is None else FloatAttr(quantisation.scale, f64),
            ZERO_POINT: None if quantisation is None else IntegerAttr(quantisation.zero_point, i64),
        }
        return Entry({key: attr for key, attr in said.items() if attr is not None})

    def __or__(self, other: Entry) -> Entry:
        return Entry({**self.attributes, **other.attributes})

    def without(self, *keys: str) -> Entry:
        """The rest of what is said."""
        return Entry({key: attr for key, attr in self.attributes.items() if key not in keys})

    def has(self, *keys: str) -> bool:
        """Return True if the entry has one of these attributes."""
        return any(key in self.attributes for key in keys)

    @property
    def name(self) -> str | None:
        return self._word(NAME)

    @property
    def names(self) -> list[str]:
        """All that the model calls it; `name` where it has no other."""
        every = self.attributes.get(NAMES)
        texts = (
            [a.data for a in every.data if isinstance(a, StringAttr)] if isinstance(every, ArrayAttr) else []
        )
        return texts or [n for n in (self.name,) if n is not None]

    @property
    def bounds(self) -> Bounds | None:
        declared = self.attributes.get(BOUNDS)
        if not isinstance(declared, ArrayAttr):
            return None
        numbers = [a.value.data if isinstance(a, IntegerAttr) else NO_BOUND for a in declared.data]
        return tuple(None if n < 0 else n for n in numbers)

    @property
    def value(self) -> np.ndarray | None:
        return self._array(VALUE)

    @property
    def state(self) -> str | None:
        return self._word(STATE)

    @property
    def initial(self) -> np.ndarray | None:
        return self._array(INITIAL)

    @property
    def part(self) -> tuple[str, str] | None:
        owner, part = self._word(OF), self._word(PART)
        return None if owner is None or part is None else (owner, part)

    @property
    def type(self) -> TensorType | None:
        seen = self.attributes.get(TYPE)
        return seen if isinstance(seen, TensorType) else None

    @property
    def dim(self) -> tuple[str, int] | None:
        """The tensor's name, and the dimension."""
        name, _, dimension = (self._word(DIM) or "").rpartition(":")
        return (name, int(dimension)) if is_dimension(dimension) else None

    @property
    def blob(self) -> np.ndarray | None:
        return self._array(BLOB)

    @property
    def is_constant(self) -> bool:
        """True if there is a `blob`."""
        return isinstance(self.attributes.get(BLOB), ConstantAttr)

    @property
    def role(self) -> str | None:
        return self._word(ROLE)

    @property
    def align(self) -> int | None:
        align = self.attributes.get(ALIGN)
        return align.value.data if isinstance(align, IntegerAttr) else None

    @property
    def quantisation(self) -> Quantisation | None:
        scale, zero = self.attributes.get(SCALE), self.attributes.get(ZERO_POINT)
        if not isinstance(scale, FloatAttr):
            return None
        return Quantisation(scale.value.data, zero.value.data if isinstance(zero, IntegerAttr) else 0)

    def _word(self, key: str) -> str | None:
        text = self.attributes.get(key)
        return text.data if isinstance(text, StringAttr) else None

    def _array(self, key: str) -> np.ndarray | None:
        attr = self.attributes.get(key)
        return constant_array(attr) if isinstance(attr, ConstantAttr) else None


def _text(text: str | None) -> StringAttr | None:
    return None if text is None else StringAttr(text)


def is_dimension(text: str) -> bool:
    """Return True if the text is the number of a dimension."""
    return text.isascii() and text.isdigit() and len(text) < 4


def bounds_attr(bounds: Sequence[int | None]) -> ArrayAttr:
    """The attribute for largest extents; None where there is no bound."""
    return ArrayAttr([IntegerAttr(NO_BOUND if b is None else b, i64) for b in bounds])


# -- of a function


def arguments_of(function: FuncOp) -> list[Entry]:
    """Return the entry of each argument."""
    return _entries(function.arg_attrs, len(function.function_type.inputs))


def results_of(function: FuncOp) -> list[Entry]:
    """Return the entry of each result."""
    return _entries(function.res_attrs, len(function.function_type.outputs))


def _entries(attrs: ArrayAttr | None, count: int) -> list[Entry]:
    if attrs is None:
        return [Entry()] * count
    return [Entry(a.data) if isinstance(a, DictionaryAttr) else Entry() for a in attrs.data]


def entry_of(argument: BlockArgument) -> Entry:
    """Return the entry of a function's argument.

    It is empty for an argument of any other block.
    """
    function = argument.block.parent_op()
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return Entry()
    return Entry(function.arg_attrs.data[argument.index].data)


def set_arguments(function: FuncOp, entries: Sequence[Entry]) -> None:
    """Say this of the arguments; their types are another matter (`update_function_type`)."""
    function.arg_attrs = _attributes(entries)


def set_results(function: FuncOp, entries: Sequence[Entry]) -> None:
    """Say this of the results."""
    function.res_attrs = _attributes(entries)


def _attributes(entries: Sequence[Entry]) -> ArrayAttr[DictionaryAttr] | None:
    said = any(entry.attributes for entry in entries)
    return ArrayAttr([DictionaryAttr(entry.attributes) for entry in entries]) if said else None


def argument_names(function: FuncOp) -> list[str]:
    """Return the name of each argument, by default `arg0` …."""
    return [entry.name or f"arg{index}" for index, entry in enumerate(arguments_of(function))]


def result_names(function: FuncOp) -> list[str]:
    """Return the name of each result, by default `result0` …."""
    return [entry.name or f"result{index}" for index, entry in enumerate(results_of(function))]


def named_entries(names: Sequence[Sequence[str]]) -> list[Entry]:
    """Create entries for tensors that have these names in the model.

    `name` is unique: the first of a tensor's names that is still free. `names` are all of them, if there are several.
    """
    taken: set[str] = set()
    entries: list[Entry] = []
    for group in names:
        name = next((n for n in group if n not in taken), None)
        if name is None:
            name = next(f"{group[0]}_{k}" for k in range(1, len(names) + 1) if f"{group[0]}_{k}" not in taken)
        taken.add(name)
        entries.append(Entry.of(name=name, names=group if len(group) > 1 else ()))
    return entries


# -- of a module


def main_function(module: ModuleOp) -> FuncOp:
    """The function `main`. Error: `no-main`."""
    for op in module.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main" and op.body.blocks:
            return op
    raise Error("no-main", "the module has no function main with a body")


MODEL_INFO = "loomir.model_info"
"""Attribute of a module: OpenVINO IR's model information, as XML.

It holds the contents of `rt_info/model_info` (labels …), and is kept for the writer of OpenVINO IR.
"""


def program_name(module: ModuleOp) -> str | None:
    """Return the model's name: `loomir.name` of the module."""
    name = module.attributes.get(NAME)
    return name.data if isinstance(name, StringAttr) else None


def with_full_constants(module: ModuleOp) -> ModuleOp:
    """Return a copy of the module without blobs, for other tools.

    Every blob becomes a builtin `dense` attribute, as other tools expect it.
    """
    module = module.clone()
    for op in walk(module):
        for table in (op.properties, op.attributes):
            for key, attr in table.items():
                if isinstance(attr, BlobAttr):
                    table[key] = dense_attr(attr.array)
        if isinstance(op, FuncOp):
            set_arguments(op, [_full(entry) for entry in arguments_of(op)])
    return module


def _full(entry: Entry) -> Entry:
    full = dict(entry.attributes)
    for key, attr in full.items():
        if isinstance(attr, BlobAttr):
            full[key] = dense_attr(attr.array, element=signless(element_of(attr.array.dtype)))
    return Entry(full)
