"""The plain steps of random programs, one method each: operators without subgraphs, and conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

from tests.differential.builder import BOOL, F32, I64, LARGEST_FLOAT, PROTO_TYPES, Builder, Extent, Value


class Steps(Builder):
    """Random operators: each takes operands that fit, or does nothing where there are none."""

    def plain(self) -> list[tuple[int, Callable[[], None]]]:
        """The steps with their weights."""
        return [
            (6, self.unary),
            (8, self.binary),
            (2, self.matmul),
            (3, self.concat),
            (3, self.slice),
            (2, self.dynamic_slice),
            (3, self.gather),
            (2, self.transpose),
            (3, self.reduce),
            (2, self.reshape),
            (2, self.where),
            (2, self.cast),
            (2, self.compare),
            (1, self.expand),
            (1, self.shape),
            (1, self.softmax),
            (1, self.split),
            (1, self.pad),
            (1, self.range),
            (1, self.filled),
            (1, self.tile),
        ]

    def unary(self) -> None:
        """An elementwise operation of one operand."""
        if self.chance(0.25):
            x = self.any_of(I64)
            op = self.random.choice(["Neg", "Abs", "Sign"])
            self.emit(op, [x], I64, x.shape, 1 if op == "Sign" else x.limit)
            return
        x = self.any_of(F32)
        op = self.random.choice(
            ["Tanh", "Sigmoid", "Relu", "Neg", "Abs", "LeakyRelu", "Exp", "Sqrt", "Identity"]
        )
        if op == "Exp":
            x = self.emit("Neg", [self.emit("Abs", [x], F32, x.shape, x.limit)], F32, x.shape, x.limit)
        elif op == "Sqrt":
            bump = self.number(np.array(0.375, np.float32))
            x = self.emit(
                "Add", [self.emit("Abs", [x], F32, x.shape, x.limit), bump], F32, x.shape, x.limit + 1
            )
        small = op in ("Tanh", "Sigmoid", "Exp")
        self.emit(op, [x], F32, x.shape, 1.0 if small else x.limit)

    def binary(self) -> None:
        """An elementwise operation of two operands that broadcast."""
        dtype = F32 if self.chance(0.7) else I64
        a = self.any_of(dtype)
        b = self.pick(dtype, lambda v: self.broadcast(a.shape, v.shape) is not None)
        if b is None or self.chance(0.2):
            shape = [e if isinstance(e, int) else 1 for e in a.shape][
                self.random.randrange(len(a.shape) + 1) :
            ]
            b = self.random_constant(dtype, shape)
        if self.chance(0.5):
            a, b = b, a
        self.combine(dtype, a, b)

    def combine(self, dtype: str, a: Value, b: Value) -> Value:
        """A random elementwise operation of two values that broadcast."""
        shape = self.broadcast(a.shape, b.shape)
        assert shape is not None
        op = self.random.choice(["Add", "Sub", "Mul", "Max", "Min", "Div" if dtype == F32 else "Mod"])
        if op == "Div":
            one = self.number(np.array(1.125, np.float32))
            b = self.emit("Abs", [b], F32, b.shape, b.limit)
            b = self.emit("Add", [b, one], F32, b.shape, b.limit + 1.125)
            return self.emit("Div", [a, b], F32, shape, a.limit)
        if op == "Mod":
            # Divided by a constant that is not zero; both signs and both roundings.
            b = self.number(np.array(self.random.choice([2, 3, 5, 7, -3]), np.int64))
            if self.chance(0.4):
                return self.emit("Div", [a, b], I64, a.shape, a.limit)
            return self.emit("Mod", [a, b], I64, a.shape, b.limit, fmod=self.random.randrange(2))
        limit = {"Add": a.limit + b.limit, "Sub": a.limit + b.limit, "Mul": a.limit * b.limit}
        return self.emit(op, [a, b], dtype, shape, limit.get(op, max(a.limit, b.limit)))

    def matmul(self) -> None:
        """A matrix product of small operands, with or without a batch."""
        a = self.any_of(F32, lambda v: len(v.shape) in (1, 2, 3) and v.static)
        if not a.shape:
            return
        inner = a.shape[-1]
        b = self.pick(F32, lambda v: len(v.shape) == 2 and v.shape[0] == inner)
        if b is None:
            assert isinstance(inner, int)
            b = self.random_constant(F32, (inner, self.random.choice([1, 2, 3])))
        limit = a.limit * b.limit * self.high(inner)
        self.emit("MatMul", [a, b], F32, (*a.shape[:-1], b.shape[1]), limit)

    def concat(self) -> None:
        """Two or three values joined along an axis."""
        a = self.any_of(self.random.choice([F32, F32, I64]), lambda v: len(v.shape) > 0)
        axis = self.random.randrange(len(a.shape))

        def fits(v: Value) -> bool:
            same = (*v.shape[:axis], *v.shape[axis + 1 :]) == (*a.shape[:axis], *a.shape[axis + 1 :])
            return same and len(v.shape) == len(a.shape)

        parts = [a, *(self.any_of(a.dtype, fits) for _ in range(self.random.choice([1, 1, 2])))]
        parts = [p for p in parts if fits(p)]
        extents = [p.shape[axis] for p in parts]
        total: Extent
        if all(isinstance(e, int) for e in extents):
            total = sum(self.low(e) for e in extents)
        else:
            total = self.symbol(sum(map(self.low, extents)), sum(map(self.high, extents)))
        if self.high(total) > 12:
            return
        self.random.shuffle(parts)
        shape = (*a.shape[:axis], total, *a.shape[axis + 1 :])
        given = axis if self.chance(0.6) else axis - len(shape)
        self.emit("Concat", parts, a.dtype, shape, max(p.limit for p in parts), axis=given)

    def slice(self) -> None:
        """A part along one static axis, with any step."""
        x = self.any_of(
            self.random.choice([F32, F32, I64]), lambda v: any(isinstance(e, int) for e in v.shape)
        )
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        step = self.random.choice([1, 1, 2, -1, -2])
        start, end = self.random.randrange(-extent, extent), self.random.randrange(-extent - 1, extent + 2)
        taken = len(range(*self.onnx_slice(start, end, step, extent)))
        if taken == 0:
            return
        shape = (*x.shape[:axis], taken, *x.shape[axis + 1 :])
        inputs = [x, *(self.vector(n) for n in (start, end, axis, step))]
        self.emit("Slice", inputs, x.dtype, shape, x.limit)

    @staticmethod
    def onnx_slice(start: int, end: int, step: int, extent: int) -> tuple[int, int, int]:
        """The range of a Slice after clamping, as ONNX specifies it."""
        start, end = (v + extent if v < 0 else v for v in (start, end))
        if step > 0:
            return min(max(start, 0), extent), min(max(end, 0), extent), step
        return min(max(start, 0), extent - 1), min(max(end, -1), extent - 1), step

    def dynamic_slice(self) -> None:
        """From an index that is computed to the end, or of one element there."""
        x = self.any_of(self.random.choice([F32, F32, I64]), lambda v: any(self.low(e) > 0 for e in v.shape))
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        start = self.index(extent, (1,))
        if self.chance(0.5):
            one = self.vector(1)
            end = self.emit("Add", [start, one], I64, (1,), extent)
            taken: Extent = 1
        else:
            end = self.vector(2**62)
            taken = self.symbol(1, extent)
        shape = (*x.shape[:axis], taken, *x.shape[axis + 1 :])
        self.emit("Slice", [x, start, end, self.vector(axis)], x.dtype, shape, x.limit)

    def index(self, extent: int, shape: tuple[int, ...]) -> Value:
        """A computed i64 of this shape (rank 0 or 1) within 0..extent-1."""
        source = self.any_of(I64, lambda v: v.shape == shape or v.shape == ())
        if source.shape != shape and shape == (1,):
            source = self.emit("Reshape", [source, self.vector(1)], I64, shape, source.limit)
        if source.shape != shape:
            source = self.random_constant(I64, shape)
        return self.emit("Mod", [source, self.number(np.array(extent, np.int64))], I64, shape, extent)

    def gather(self) -> None:
        """Elements along one static axis by constant or computed indices."""
        x = self.any_of(self.random.choice([F32, F32, I64]), lambda v: any(self.low(e) > 0 for e in v.shape))
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 0]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        if self.chance(0.4):
            shape = self.random.choice([(), (2,), (1, 2)])
            indices = self.number(np.asarray(self.numpy.integers(-extent, extent, size=shape), np.int64))
        else:
            indices = self.index(extent, self.random.choice([(), (), (1,)]))
        shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
        if len(shape) <= 4:
            self.emit("Gather", [x, indices], x.dtype, shape, x.limit, axis=axis)

    def transpose(self) -> None:
        """A permutation of the axes."""
        x = self.any_of(F32, lambda v: len(v.shape) > 1)
        perm = list(range(len(x.shape)))
        self.random.shuffle(perm)
        self.emit("Transpose", [x], F32, tuple(x.shape[p] for p in perm), x.limit, perm=perm)

    def reduce(self) -> None:
        """A sum, mean or maximum over some axes; an extent that may be 0 is only summed."""
        dtype = self.random.choice([F32, F32, I64])
        x = self.any_of(dtype, lambda v: len(v.shape) > 0)
        axes = sorted(self.random.sample(range(len(x.shape)), self.random.randint(1, len(x.shape))))
        keep = self.chance(0.5)
        shape = tuple(1 if i in axes else e for i, e in enumerate(x.shape) if keep or i not in axes)
        empty = any(self.low(x.shape[a]) == 0 for a in axes)
        ops = ["ReduceSum"] if empty else ["ReduceSum", "ReduceSum", "ReduceMax", "ReduceMin"]
        if dtype == F32 and not empty:
            ops.append("ReduceMean")
        op = self.random.choice(ops)
        count = self.elements(tuple(x.shape[a] for a in axes)) if op == "ReduceSum" else 1
        # ONNX Runtime takes negative axes of an empty tensor to be none of its axes.
        counted_back = self.filled_surely(x) and self.chance(0.4)
        given = self.vector(*(a - len(x.shape) * counted_back for a in axes))
        self.emit(op, [x, given], dtype, shape, x.limit * max(count, 1), keepdims=int(keep))

    def reshape(self) -> None:
        """The same elements in another shape, or an axis of 1 more or less."""
        x = self.any_of(self.random.choice([F32, F32, I64]))
        kind = self.random.randrange(3)
        if kind == 0 and len(x.shape) < 4:
            axis = self.random.randrange(len(x.shape) + 1)
            shape = (*x.shape[:axis], 1, *x.shape[axis:])
            self.emit("Unsqueeze", [x, self.vector(axis)], x.dtype, shape, x.limit)
        elif kind == 1 and 1 in x.shape:
            axis = x.shape.index(1)
            self.emit(
                "Squeeze", [x, self.vector(axis)], x.dtype, (*x.shape[:axis], *x.shape[axis + 1 :]), x.limit
            )
        elif x.static and len(x.shape) > 0:
            shape = [self.low(e) for e in reversed(x.shape)]
            if self.chance(0.3):
                shape = [self.elements(x.shape)]
            given = list(shape)
            if 0 not in shape and self.chance(0.5):
                given[self.random.randrange(len(given))] = -1
            if 0 not in shape:
                self.emit("Reshape", [x, self.vector(*given)], x.dtype, tuple(shape), x.limit)

    def reshaped(self, value: Value) -> Value:
        """A value of static shape, by a Reshape to that shape."""
        extents = self.vector(*(self.low(e) for e in value.shape))
        return self.emit("Reshape", [value, extents], value.dtype, value.shape, value.limit, allowzero=1)

    def where(self) -> None:
        """A choice element by element."""
        mask = self.any_of(BOOL)
        dtype = self.random.choice([F32, F32, I64])
        a = self.any_of(dtype, lambda v: self.broadcast(mask.shape, v.shape) is not None)
        shape = self.broadcast(mask.shape, a.shape)
        if shape is None:
            return
        b = self.pick(dtype, lambda v: self.broadcast(shape, v.shape) is not None)
        if b is None:
            return
        result = self.broadcast(shape, b.shape)
        assert result is not None
        self.emit("Where", [mask, a, b], dtype, result, max(a.limit, b.limit))

    def cast(self) -> None:
        """An integer or a boolean becomes a float, a boolean an integer, an integer a boolean."""
        source, to = self.random.choice([(I64, F32), (BOOL, F32), (BOOL, I64), (I64, BOOL)])
        x = self.any_of(source)
        self.emit("Cast", [x], to, x.shape, 1.0 if to == BOOL else x.limit, to=PROTO_TYPES[to])

    def compare(self) -> None:
        """A boolean of integers (exact) or of other booleans."""
        if self.chance(0.3):
            a = self.any_of(BOOL)
            b = self.pick(BOOL, lambda v: self.broadcast(a.shape, v.shape) is not None)
            if b is None or self.chance(0.3):
                self.emit("Not", [a], BOOL, a.shape, 1)
                return
            shape = self.broadcast(a.shape, b.shape)
            assert shape is not None
            self.emit(self.random.choice(["And", "Or", "Xor"]), [a, b], BOOL, shape, 1)
            return
        a = self.any_of(I64)
        b = self.pick(I64, lambda v: self.broadcast(a.shape, v.shape) is not None)
        if b is None or self.chance(0.5):
            b = self.number(np.array(self.random.randint(-1, 5), np.int64))
        shape = self.broadcast(a.shape, b.shape)
        assert shape is not None
        op = self.random.choice(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"])
        self.emit(op, [a, b], BOOL, shape, 1)

    def expand(self) -> None:
        """A value repeated along axes of 1."""
        x = self.any_of(F32, lambda v: v.static)
        shape = tuple(self.random.choice([2, 3]) if e == 1 else self.low(e) for e in (1, *x.shape))
        if len(shape) <= 4 and self.elements(shape) <= 96:
            self.emit("Expand", [x, self.vector(*shape)], F32, shape, x.limit)

    def shape(self) -> None:
        """The extents of a value, as integers."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0)
        limit = max(self.high(e) for e in x.shape)
        self.emit("Shape", [x], I64, (len(x.shape),), float(limit))

    def softmax(self) -> None:
        """exp(x) / sum(exp(x)) along an axis, out of simpler operations."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0 and v.static and self.elements(v.shape) > 0)
        axis = self.vector(self.random.randrange(len(x.shape)))
        position = numpy_helper.to_array(self.scope.nodes[-1].attribute[0].t)[0]
        if x.shape[position] == 0:
            return
        shape = tuple(1 if i == position else e for i, e in enumerate(x.shape))
        top = self.emit("ReduceMax", [x, axis], F32, shape, x.limit, keepdims=1)
        # At most 0, so no bound is needed: what emit would do to a larger limit is not what is meant.
        shifted = self.emit("Sub", [x, top], F32, x.shape, LARGEST_FLOAT)
        power = self.emit("Exp", [shifted], F32, x.shape, 1)
        total = self.emit("ReduceSum", [power, axis], F32, shape, LARGEST_FLOAT, keepdims=1)
        self.emit("Div", [power, total], F32, x.shape, 1)

    def split(self) -> None:
        """Two parts along an axis, of given or of nearly equal lengths."""
        x = self.any_of(F32, lambda v: any(isinstance(e, int) and e > 1 for e in v.shape))
        axes = [i for i, e in enumerate(x.shape) if isinstance(e, int) and e > 1]
        if not axes:
            return
        axis = self.random.choice(axes)
        extent = self.low(x.shape[axis])
        first = self.random.randrange(1, extent)
        inputs: list[str] = [x.name, self.vector(first, extent - first).name]
        attributes: dict[str, Any] = {"axis": axis}
        if self.chance(0.4):
            first = -(-extent // 2)
            inputs, attributes["num_outputs"] = [x.name], 2
        shapes = [self.replaced(x.shape, axis, e) for e in (first, extent - first)]
        parts = [self.value("part", F32, shape, x.limit) for shape in shapes]
        self.scope.nodes.append(helper.make_node("Split", inputs, [p.name for p in parts], **attributes))
        self.scope.values += parts

    def pad(self) -> None:
        """Some constant elements before or behind, on one static axis."""
        x = self.any_of(self.random.choice([F32, I64]), lambda v: len(v.shape) > 0 and v.static)
        if not x.static or not x.shape:
            return
        axis = self.random.randrange(len(x.shape))
        before, behind = self.random.randrange(3), self.random.randrange(3)
        pads = [0] * (2 * len(x.shape))
        pads[axis], pads[axis + len(x.shape)] = before, behind
        shape = self.replaced(x.shape, axis, self.low(x.shape[axis]) + before + behind)
        if self.elements(shape) <= 96:
            fill = self.number(np.array(1, np.float32 if x.dtype == F32 else np.int64))
            self.emit("Pad", [x, self.vector(*pads), fill], x.dtype, shape, max(x.limit, 1))

    def range(self) -> None:
        """The numbers below one that is computed."""
        limit = self.index(self.random.choice([3, 5]), ())
        zero, one = (self.number(np.array(n, np.int64)) for n in (0, 1))
        most = int(limit.limit) - 1
        self.emit("Range", [zero, limit, one], I64, (self.symbol(0, most),), most)

    def filled(self) -> None:
        """A constant of the shape of another value."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0)
        shape = self.emit("Shape", [x], I64, (len(x.shape),), 12)
        fill = numpy_helper.from_array(np.array([0.25], np.float32))
        self.emit("ConstantOfShape", [shape], F32, x.shape, 1, value=fill)

    def tile(self) -> None:
        """A value repeated along its axes."""
        x = self.any_of(F32, lambda v: len(v.shape) > 0 and v.static)
        if not x.static or not x.shape:
            return
        repeats = [self.random.choice([1, 1, 2]) for _ in x.shape]
        shape = tuple(self.low(e) * r for e, r in zip(x.shape, repeats))
        if self.elements(shape) <= 96:
            self.emit("Tile", [x, self.vector(*repeats)], F32, shape, x.limit)

    # -- conditions

    def condition(self) -> Value:
        """A boolean scalar: read, of integers, or of the sum of floats."""
        choice = self.random.random()
        found = self.pick(BOOL, lambda v: v.shape == ())
        if choice < 0.3 and found is not None:
            return found
        if choice < 0.75:
            number = self.any_of(I64, lambda v: v.shape == ())
            if number.shape != ():
                number = self.emit("ReduceSum", [number], I64, (), number.limit * 12, keepdims=0)
            bound = self.number(np.array(self.random.randint(-1, 5), np.int64))
            op = self.random.choice(["Less", "Greater", "Equal", "GreaterOrEqual"])
            return self.emit(op, [number, bound], BOOL, (), 1)
        x = self.any_of(F32)
        # Not limited, and read by the comparison only.
        total = self.value("sum", F32, (), 0)
        self.scope.nodes.append(helper.make_node("ReduceSum", [x.name], [total.name], keepdims=0))
        bound = self.number(np.array(self.random.uniform(-0.5, 0.5), np.float32))
        return self.emit(self.random.choice(["Less", "Greater"]), [total, bound], BOOL, (), 1)

    def true(self) -> Value:
        """The boolean true."""
        return self.number(np.array(True))
