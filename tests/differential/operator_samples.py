"""Random uses of one operation, made from its definition alone: operands, properties, and what `infer` accepts.

Nothing here knows an operator by name, but for the few uses in `operator_starts`. Operand shapes are drawn from a few related ones
with extents of a small palette, so that they fit together often; integer operands of rank 0 and 1 hold what parameters usually are
(axes, a permutation, a shape); the words that a string property may be are learnt from the error for a wrong one. Candidates that
`infer` refuses are thrown away; from one that it accepts, others are made by changing one part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, f64
from xdsl.ir import Attribute, Block, TypeAttribute
from xdsl.irdl import BaseAttr, OptionalDef, OptOperandDef, VarOperandDef, VarResultDef

from loomir.dialects import element_types as et
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from tests.differential.operator_starts import STARTS

FLOATS = (et.f32, et.f64, et.f16, et.bf16)
INTEGERS = (et.i8, et.i16, et.i32, et.i64, et.ui8, et.ui16, et.ui32, et.ui64)
ELEMENTS = (et.f32, *FLOATS, et.i32, et.i64, *INTEGERS, et.i1)

ATTEMPTS = 20_000
"""Candidates before giving up: an operation of which no use is found fails its test."""

T = TypeVar("T")

Operand = np.ndarray | None | tuple[np.ndarray, ...]
"""An array, nothing (an optional one left out), or several (variadic)."""


@dataclass(frozen=True)
class Sample:
    """One use: operands as the class declares them, and properties; `parameters` numbers those of its arrays that are constants."""

    op_class: type[OvOperation]
    operands: tuple[Operand, ...]
    attributes: dict[str, AttrValue]
    results: int
    parameters: frozenset[int]

    @property
    def arrays(self) -> list[np.ndarray]:
        """All operands, one after another."""
        flat: list[np.ndarray] = []
        for operand in self.operands:
            flat += [] if operand is None else [operand] if isinstance(operand, np.ndarray) else operand
        return flat

    def __str__(self) -> str:
        parts = [
            f"{a.dtype}{list(a.shape)}{f'={a.tolist()}' if k in self.parameters or a.ndim == 0 else ''}"
            for k, a in enumerate(self.arrays)
        ]
        return f"{self.op_class.name}({', '.join(parts)}) {self.attributes}"


@dataclass
class Sampler:
    """Makes samples of one operation."""

    op_class: type[OvOperation]
    rng: np.random.Generator
    words: dict[str, list[str]] = field(default_factory=dict)
    accepted: list[Sample] = field(default_factory=list)
    _mixed: bool = False
    """True if the current candidate's operands may differ in element type."""

    def __post_init__(self) -> None:
        if self.op_class.name in STARTS:
            operands, attributes = STARTS[self.op_class.name]
            self.accepted.append(self._made(operands, dict(attributes), 1))

    def sample(self) -> Sample:
        """A use that `infer` accepts. AssertionError where none is found."""
        refusals: dict[str, int] = {}
        for _ in range(ATTEMPTS):
            again = bool(self.accepted) and self.rng.random() < 0.5
            candidate = self._changed(self._one_of(self.accepted)) if again else self._fresh()
            try:
                build(candidate)
            except Error as error:
                self._learn(error)
                text = str(error).splitlines()[0]
                refusals[text] = refusals.get(text, 0) + 1
                continue
            if sum(a.size for a in candidate.arrays) > 4096:
                continue
            self.accepted.append(candidate)
            return candidate
        often = sorted(refusals, key=lambda text: -refusals[text])[:5]
        raise AssertionError(f"no use of {self.op_class.name} was found; refused for: {often}")

    def _learn(self, error: Error) -> None:
        """`mode is 'x', expected a or b`: the words that there are."""
        found = re.search(r"(\w+) is '[^']*', expected ([\w-]+(?: or [\w-]+)*)", str(error))
        if found:
            self.words[found[1]] = found[2].split(" or ")

    # -- candidates

    def _fresh(self) -> Sample:
        rng = self.rng
        definition = self.op_class.get_irdl_definition()
        palette = [int(e) for e in rng.choice([1, 2, 3, 4, 5], 2, replace=False)]
        if rng.random() < 0.06:
            palette.append(0)
        rank = int(rng.choice([0, 1, 2, 3, 4, 5], p=[0.06, 0.17, 0.27, 0.25, 0.2, 0.05]))
        base = [self._one_of(palette) for _ in range(rank)]
        element = self._one_of(ELEMENTS)
        self._mixed = rng.random() < 0.4
        operands: list[Operand] = []
        for _, declared in definition.operands:
            if isinstance(declared, OptOperandDef):
                operands.append(self._operand(base, palette, element) if rng.random() < 0.5 else None)
            elif isinstance(declared, VarOperandDef):
                count = int(rng.integers(1, 4))
                operands.append(tuple(self._data(base, palette, element) for _ in range(count)))
            else:
                operands.append(self._operand(base, palette, element))
        variadic = any(isinstance(d, VarResultDef) for _, d in definition.results)
        spatial = max(0, rank - 2) if rng.random() < 0.8 else int(rng.integers(0, 4))
        attributes: dict[str, AttrValue] = {}
        for name, declared in definition.properties.items():
            if name in self._left_out_freely and rng.random() < 0.4:
                continue
            attributes[name] = self._attribute(name, declared.constr, spatial, element)
        return self._made(operands, attributes, int(rng.integers(1, 4)) if variadic else 1)

    def _changed(self, sample: Sample) -> Sample:
        """The sample with one part from a new candidate, or other numbers in its data."""
        other = self._fresh()
        operands, attributes = list(sample.operands), dict(sample.attributes)
        choice = self.rng.random()
        if choice < 0.3 and other.attributes:
            name = self._one_of(list(other.attributes))
            attributes[name] = other.attributes[name]
        elif choice < 0.6 and operands:
            which = int(self.rng.integers(len(operands)))
            operands[which] = other.operands[which]
        elif choice < 0.8 and (optional := [n for n in attributes if n in self._left_out_freely]):
            attributes.pop(self._one_of(optional))
        else:
            # Another element type throughout: what fits one often fits all.
            old, new = {a.dtype for a in sample.arrays}, et.dtype_of(self._one_of(ELEMENTS))
            from_ = self._one_of(sorted(old, key=str))
            operands = [self._retyped(o, from_, new) for o in operands]
        return self._made(operands, attributes, sample.results)

    def _retyped(self, operand: Operand, old: np.dtype, new: np.dtype) -> Operand:
        if isinstance(operand, tuple):
            return tuple(self._values(a.shape, new) if a.dtype == old else a for a in operand)
        if operand is None or operand.dtype != old:
            return operand
        return self._values(operand.shape, new)

    def _made(self, operands: Sequence[Operand], attributes: dict[str, AttrValue], results: int) -> Sample:
        sample = Sample(self.op_class, tuple(operands), attributes, results, frozenset())
        # Only a parameter can be a constant that matters; whether one must be, `infer` and the lowering say.
        small = [
            k for k, a in enumerate(sample.arrays) if a.ndim <= 1 and a.size <= 8 and a.dtype.kind in "iub"
        ]
        return replace(sample, parameters=frozenset(small))

    @cached_property
    def _left_out_freely(self) -> set[str]:
        """The properties that are optional or have a default."""
        declared = self.op_class.get_irdl_definition().properties
        return {n for n, d in declared.items() if isinstance(d, OptionalDef) or d.default_value is not None}

    # -- operands

    def _operand(self, base: list[int], palette: list[int], element: Attribute) -> np.ndarray:
        if self.rng.random() < 0.3:
            return self._parameter(base)
        return self._data(base, palette, element)

    def _data(self, base: list[int], palette: list[int], element: Attribute) -> np.ndarray:
        kind = self.rng.random() if self._mixed else 0.0
        if kind > 0.9:
            element = et.i1
        elif kind > 0.8:
            element = self._one_of((et.i64, et.i32))
        return self._values(self._shape(base, palette), et.dtype_of(element))

    def _shape(self, base: list[int], palette: list[int]) -> list[int]:
        """The base or one related to it."""
        rng, shape = self.rng, list(base)
        kind = int(rng.integers(0, 11))
        if kind <= 3 or not shape:
            return shape
        if kind == 10:
            return [self._one_of(palette), *shape]
        if kind == 4:
            return [e if rng.random() < 0.5 else 1 for e in shape]
        if kind == 5:
            return shape[int(rng.integers(len(shape))) :]
        if kind == 6:
            return shape[: int(rng.integers(len(shape) + 1))]
        if kind == 7:
            return [self._one_of(palette) for _ in shape]
        if kind == 8:
            return [1] * int(rng.integers(0, 2))
        return [self._one_of(palette) for _ in range(int(rng.integers(0, 5)))]

    def _values(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        """Numbers of both signs with ties, zeros, fractions."""
        rng = self.rng
        if dtype == np.bool_:
            return np.asarray(rng.integers(0, 2, shape) == 1)
        if dtype.kind in "iu":
            low = 0 if dtype.kind == "u" else -4
            return np.asarray(rng.integers(low, 7, shape)).astype(dtype)
        return np.asarray(np.round(rng.normal(0, 2, shape) * 4) / 4).astype(dtype)

    def _parameter(self, base: list[int]) -> np.ndarray:
        """Axes, a permutation, a shape, pads, a few small integers."""
        rng, rank = self.rng, len(base)
        dtype = self._one_of((np.int64, np.int64, np.int32))
        kind = int(rng.integers(0, 9))
        if kind == 0:
            return np.asarray(rng.permutation(rank), dtype)
        if kind == 1:
            return np.asarray(self._one_of(list(range(-rank, rank)) or [0]), dtype)
        if kind == 2:
            axes = rng.choice(max(rank, 1), int(rng.integers(0, rank + 1)), replace=False)
            return np.asarray(sorted(a - rank if rng.random() < 0.3 else a for a in axes), dtype)
        if kind == 3:
            return np.asarray(base, dtype)
        if kind == 4:
            shape = [*base[: max(0, rank - 2)], prod(base[max(0, rank - 2) :])]
            return np.asarray([-1 if rng.random() < 0.2 else e for e in shape], dtype)
        if kind == 5:
            return np.asarray(rng.integers(0, 3, rank), dtype)
        if kind == 6:
            return np.asarray(rng.integers(0, 4), dtype)
        if kind == 7:
            return np.asarray(rng.integers(-2, 4, int(rng.integers(1, 4))), dtype)
        return np.asarray([int(rng.integers(0, 4))], dtype)

    # -- properties

    def _attribute(self, name: str, constraint: object, spatial: int, element: Attribute) -> AttrValue:
        rng = self.rng
        base = constraint.attr if isinstance(constraint, BaseAttr) else None
        if base is StringAttr:
            return StringAttr(self._one_of(self.words.get(name, ["?"])))
        if base is IntegerAttr:
            # A boolean is an integer attribute whose type another constraint gives.
            return int(rng.integers(-2, 5))
        if base is FloatAttr:
            return float(self._one_of([0.0, 0.5, 1.0, -1.0, 2.0, 1e-3]))
        if base is DenseArrayBase:
            low = 1 if rng.random() < 0.5 else 0
            return [int(v) for v in rng.integers(low, 3, spatial)]
        if base is TypeAttribute:
            return self._one_of(ELEMENTS)
        if base is ArrayAttr:
            return None  # lists of words are left out
        text = str(constraint)
        if "DenseArrayBase" in text and "Float64Type" in text:
            return DenseArrayBase.from_list(
                f64, [float(v) for v in rng.choice([0.1, 0.5, 1.0, -1.0], int(rng.integers(0, 3)))]
            )
        if "IntegerType" in text or "IntegerAttr" in text:
            return bool(rng.integers(0, 2))
        raise AssertionError(f"{self.op_class.name}: property '{name}' of a kind that is not sampled: {text}")

    def _one_of(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.integers(len(choices)))]


def build(sample: Sample) -> OvOperation:
    """The operation over constants and block arguments, with inferred types. Raises what `infer` raises."""
    block = Block()
    number = 0
    operands: list[object] = []

    def value(array: np.ndarray):
        nonlocal number
        from xdsl.dialects.builtin import TensorType

        if number in sample.parameters:
            made = ConstantOp.of(array).output
        else:
            made = block.insert_arg(TensorType(et.element_of(array.dtype), array.shape), len(block.args))
        number += 1
        return made

    for operand in sample.operands:
        if operand is None:
            operands.append(None)
        elif isinstance(operand, tuple):
            operands.append([value(a) for a in operand])
        else:
            operands.append(value(operand))
    return sample.op_class.make(*operands, attributes=sample.attributes, results=sample.results)  # pyright: ignore[reportArgumentType]
