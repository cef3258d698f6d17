"""Values of random programs, the nodes that make them, and the choices between them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Extent = int | str
Shape = tuple[Extent, ...]

F32, I64, BOOL = "f", "i", "b"
PROTO_TYPES = {F32: TensorProto.FLOAT, I64: TensorProto.INT64, BOOL: TensorProto.BOOL}
LARGEST_FLOAT = 4.0
LARGEST_INTEGER = 10_000.0


@dataclass(frozen=True)
class Value:
    """A named tensor: element type, shape, and a bound of its absolute value."""

    name: str
    dtype: str
    shape: Shape
    limit: float

    @property
    def static(self) -> bool:
        """Whether every extent is a number."""
        return all(isinstance(e, int) for e in self.shape)

    def info(self) -> onnx.ValueInfoProto:
        """Its declaration; symbols become names of dimensions."""
        return helper.make_tensor_value_info(self.name, PROTO_TYPES[self.dtype], list(self.shape))


@dataclass
class Scope:
    """A graph being made: nodes so far, values that can be read (its own ones last)."""

    parent: Scope | None = None
    depth: int = 0
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

    def visible(self) -> list[Value]:
        """All values that a node here may read."""
        return [*(self.parent.visible() if self.parent else []), *self.values]


class Builder:
    """What every step needs; all choices come from one seeded generator."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.names = 0
        self.least: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self.scope = Scope()

    # -- choices

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def weighted(self, choices: Sequence[tuple[int, Callable[[], None]]]) -> Callable[[], None]:
        """One of the functions, by weight."""
        return self.random.choices([f for _, f in choices], [w for w, _ in choices])[0]

    def pick(self, dtype: str, test: Callable[[Value], bool] = lambda v: True) -> Value | None:
        """A value of this element type that can be read here; late and inner ones more often."""
        found = [v for v in self.scope.visible() if v.dtype == dtype and test(v)]
        if not found:
            return None
        position = max(self.random.random(), self.random.random())
        return found[int(position * len(found))]

    def any_of(self, dtype: str, test: Callable[[Value], bool] = lambda v: True) -> Value:
        """`pick`, or a constant of a small shape where there is none."""
        return self.pick(dtype, test) or self.random_constant(dtype, (2,))

    # -- making values

    def value(self, prefix: str, dtype: str, shape: Shape, limit: float) -> Value:
        """A value with a fresh name."""
        self.names += 1
        return Value(f"{prefix}{self.names}", dtype, shape, limit)

    def symbol(self, least: int, most: int) -> str:
        """A fresh extent that is known within bounds only."""
        self.names += 1
        name = f"d{self.names}"
        self.least[name], self.most[name] = least, most
        return name

    def low(self, extent: Extent) -> int:
        """The least number that an extent can be."""
        return extent if isinstance(extent, int) else self.least[extent]

    def high(self, extent: Extent) -> int:
        """The greatest number that an extent can be."""
        return extent if isinstance(extent, int) else self.most[extent]

    def elements(self, shape: Shape) -> int:
        """The greatest number of elements."""
        return int(np.prod([self.high(e) for e in shape], dtype=np.int64))

    def emit(
        self,
        op: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Shape,
        limit: float,
        **attributes: Any,
    ) -> Value:
        """Append a node of one result; the result is made small again where it could grow."""
        result = self.value(op.lower()[:3], dtype, shape, limit)
        names = [i.name if i else "" for i in inputs]
        self.scope.nodes.append(helper.make_node(op, names, [result.name], **attributes))
        if dtype == F32 and limit > LARGEST_FLOAT:
            return self.limited(result)
        if dtype == I64 and limit > LARGEST_INTEGER:
            modulus = self.number(np.array(97, np.int64))
            return self.emit("Mod", [result, modulus], I64, shape, 96)
        self.scope.values.append(result)
        return result

    def limited(self, value: Value) -> Value:
        """A float brought back into its range."""
        if self.chance(0.5):
            return self.emit("Tanh", [value], F32, value.shape, 1)
        low, high = (self.number(np.array(v, np.float32)) for v in (-2.75, 3.25))
        return self.emit("Clip", [value, low, high], F32, value.shape, 3.25)

    def number(self, array: np.ndarray) -> Value:
        """A constant that no later step reads."""
        dtype = {"f": F32, "i": I64, "b": BOOL}[array.dtype.kind]
        limit = float(np.abs(array).max()) if array.size and dtype != BOOL else 1.0
        result = self.value("k", dtype, array.shape, limit)
        tensor = numpy_helper.from_array(array, result.name)
        self.scope.nodes.append(helper.make_node("Constant", [], [result.name], value=tensor))
        return result

    def vector(self, *numbers: int) -> Value:
        """A constant i64 vector."""
        return self.number(np.array(numbers, np.int64))

    def random_constant(self, dtype: str, shape: Sequence[int]) -> Value:
        """A constant with random contents, which later steps may read."""
        if dtype == F32:
            array = self.numpy.uniform(-1.5, 1.5, size=shape).astype(np.float32)
        elif dtype == I64:
            array = self.numpy.integers(-4, 9, size=shape).astype(np.int64)
        else:
            array = self.numpy.integers(0, 2, size=shape) == 1
        result = self.number(np.asarray(array))
        self.scope.values.append(result)
        return result

    # -- shapes

    def broadcast(self, a: Shape, b: Shape) -> Shape | None:
        """The shape that both broadcast to, or None where they surely or possibly don't."""
        rank = max(len(a), len(b))
        result: list[Extent] = []
        for x, y in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b):
            if x == y or y == 1:
                result.append(x)
            elif x == 1:
                result.append(y)
            else:
                return None
        shape = tuple(result)
        allowed = max(96, self.elements(a), self.elements(b))
        return shape if rank <= 4 and self.elements(shape) <= allowed else None

    def filled_surely(self, value: Value) -> bool:
        """Whether it has an element in any case."""
        return all(self.low(e) > 0 for e in value.shape)

    @staticmethod
    def replaced(shape: Shape, axis: int, extent: Extent) -> Shape:
        """The shape with another extent on an axis."""
        return (*shape[:axis], extent, *shape[axis + 1 :])
