"""Constants that are integer sequences, as generics that compute them.

A constant tensor is an argument of the function with `loomir.blob`. Where it holds start + step · k along one axis, and the same along the
others, a few operations give its elements, and the tensor takes no memory:

```mlir
%t: tensor<3000x1xf32> {loomir.blob = #ov.blob<…>}        // 0, 1, 2 …

%t = linalg.generic {… "parallel", "parallel"} outs(%e : tensor<3000x1xf32>) {
  %i = linalg.index 0 : index
  %k = arith.index_cast %i : index to i32
  %f = arith.sitofp %k : i32 to f32
  linalg.yield %f : f32
}
```

Integers are computed in 32 bits, which hold all of them. Floats are such integers, each converted exactly as it is held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.interface import arguments_of, entry_of, set_arguments

_LEAST = 64
"""Elements that take no more memory than code that computes them."""


@dataclass(frozen=True)
class Sequence:
    """Integers start + step · k for coordinates k along an axis."""

    type: TensorType
    axis: int
    start: int
    step: int

    def generic(self) -> tuple[tensor.EmptyOp, GenericOp]:
        """Create a generic that computes the sequence, with its destination."""
        rank = self.type.get_num_dims()
        element = self.type.element_type
        block = Block(arg_types=[element])

        def add(op: Operation) -> SSAValue:
            block.add_op(op)
            return op.results[0]

        value = add(arith.IndexCastOp(add(IndexOp(self.axis)), i32))
        if self.step != 1:
            value = add(arith.MuliOp(value, add(arith.ConstantOp(IntegerAttr(self.step, i32)))))
        if self.start:
            value = add(arith.AddiOp(value, add(arith.ConstantOp(IntegerAttr(self.start, i32)))))
        if isinstance(element, AnyFloat):
            value = add(arith.SIToFPOp(value, element))
        elif isinstance(element, IntegerType) and element != i32:
            value = add(arith.ExtSIOp(value, element))
        block.add_op(YieldOp(value))
        empty = tensor.EmptyOp([], self.type)
        identity = AffineMapAttr(AffineMap.identity(rank))
        parallel = [IteratorTypeAttr.parallel()] * rank
        return empty, GenericOp([], [empty.tensor], Region(block), [identity], parallel, [self.type])


def sequence_of(value: SSAValue) -> Sequence | None:
    """Return the sequence that a constant holds, or None."""
    if not isinstance(value, BlockArgument) or not isinstance(value.block.parent_op(), FuncOp):
        return None
    type_ = value.type
    if not isinstance(type_, TensorType) or not _has_sequences(type_.element_type):
        return None
    array = entry_of(value).blob
    if array is None or array.size <= _LEAST:
        return None
    origin = (0,) * array.ndim
    start = _integer(array[origin])
    for axis, extent in enumerate(array.shape):
        second = _integer(array[(*origin[:axis], 1, *origin[axis + 1 :])]) if extent > 1 else start
        if start is None or second is None:
            return None
        if second != start:
            found = Sequence(tensor_type_of(value), axis, start, second - start)
            return found if _holds(array, found) else None
    return None


def _has_sequences(element: Attribute) -> bool:
    if isinstance(element, IntegerType):
        return element.width.data in (32, 64)
    return isinstance(element, Float32Type | Float64Type)


def _integer(number: np.generic) -> int | None:
    """Return a number as an integer of 32 bits, or None."""
    value = number.item()
    if value != value or abs(value) >= 1 << 31 or value != int(value):
        return None
    return int(value)


def _holds(array: np.ndarray, sequence: Sequence) -> bool:
    """Return True if an array holds a sequence to the last bit.

    All its integers, and their products with the step, have 32 bits.
    """
    extent = array.shape[sequence.axis]
    ends = (sequence.step * (extent - 1), sequence.start + sequence.step * (extent - 1))
    if not all(-(1 << 31) <= number < 1 << 31 for number in ends):
        return False
    numbers = (sequence.start + sequence.step * np.arange(extent, dtype=np.int64)).astype(array.dtype)
    bits = np.dtype(f"u{array.dtype.itemsize}")
    along = numbers.view(bits).reshape([-1 if axis == sequence.axis else 1 for axis in range(array.ndim)])
    return bool((np.ascontiguousarray(array).view(bits) == along).all())


def erase_unused_constants(function: FuncOp) -> None:
    """Erase the constants of a function that nothing reads any more."""
    block, entries = function.body.block, arguments_of(function)
    unused = [
        argument
        for argument, entry in zip(block.args, entries, strict=True)
        if entry.is_constant and not argument.uses
    ]
    if unused:
        gone = {argument.index for argument in unused}
        for argument in unused:
            block.erase_arg(argument)
        set_arguments(function, [entry for k, entry in enumerate(entries) if k not in gone])
        function.update_function_type()
