"""Types of memref views, and padding read without a buffer (`loomir.pads`).

**Types of views** are computed as upstream's verifiers expect them. A subview that is packed and begins where its buffer begins has the
identity layout, any other one `strided<…>`. What is expanded or collapsed has the identity layout where its source has, and else
`strided<…>`, packed or not.

**Padding** that a linalg.generic on memrefs reads needs no buffer.

```mlir
%p = tensor.pad %x low[0, 1] high[0, 2] { … tensor.yield %zero }
linalg.generic ins(%p, %w) outs(%o) …
```

becomes

```mlir
%v = builtin.unrealized_conversion_cast %x : memref<2x5xf32> to memref<2x8xf32>
linalg.generic ins(%v, %w, %zero : memref<2x8xf32>, memref<4xf32>, f32) outs(%o : …)
    attrs = {loomir.pads = [{operand = 0 : i64, low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 2
    : i64}]}
```

The cast yields a memref of the *padded* shape (`low + size + high` per dimension, `?` where that is not one number), so
that the verifiers of linalg, xDSL's and upstream's, find every coordinate inside of its operand. No such memory exists:
only a generic with `loomir.pads` may use the cast, and code that reads such a generic looks through the cast with
`padded_source`. `lower-linalg-to-loops` erases it.

Each dictionary describes one input operand; an operand has at most one.

- `operand`: position among `ins` of the memref that is read as if it were padded;
- `low`, `high`: elements of padding before and behind, one number per dimension of that memref;
  `-9223372036854775808` (`DYNAMIC_INDEX`) stands for an SSA value;
- `dynamic`: positions among `ins` of those SSA values (scalars of type `index`): first those of `low`, then those of `high`;
  omitted if there are none;
- `value`: position among `ins` of the scalar that the padding holds.

The indexing map of a padded operand produces coordinates of the padded shape, as before bufferization. A loop's extent
that only this operand determines is taken from the padded shape. An element at the padded coordinate p is `x[p - low]`
if `0 <= p - low < size` in every dimension, and the pad value otherwise. The appended scalars are ordinary scalar
inputs: they have the map `(d0, …) -> ()` and a block argument, which the body never uses. `read_pads` decodes the
attribute; `PadSpec.encode` encodes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnrealizedConversionCastOp,
    i64,
)
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, SSAValue

MemRef = MemRefType[Attribute]
Reassociation = Sequence[Sequence[int]]


def identity_memref(type: TensorType[Attribute]) -> MemRef:
    """The memref type of a packed buffer for a tensor of `type`."""
    return _packed(type.element_type, type.shape)


@lru_cache(maxsize=1024)
def _packed(element: Attribute, shape: ArrayAttr[IntAttr]) -> MemRef:
    """Return the type, cached for many values.

    xDSL's constructor takes long to examine its arguments.
    """
    return MemRefType(element, shape)


def is_identity(type: MemRef) -> bool:
    return isinstance(type.layout, NoneAttr)


def packed_strides(shape: Sequence[int]) -> list[int | None]:
    """Return the strides of a packed memref.

    A stride is `None` if it depends on a dynamic extent.
    """
    strides: list[int | None] = []
    stride: int | None = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride = None if stride is None or extent == DYNAMIC_INDEX else stride * extent
    return strides[::-1]


def layout(type: MemRef) -> tuple[list[int | None], int | None]:
    """Return the strides and the offset of a memref; `None` if dynamic."""
    if isinstance(type.layout, StridedLayoutAttr):
        return list(type.layout.get_strides()), type.layout.get_offset()
    assert is_identity(type), type
    return packed_strides(type.get_shape()), 0


def strided_memref(
    element: Attribute, shape: Sequence[int], strides: Sequence[int | None], offset: int | None
) -> MemRef:
    """Return a memref type of this layout, or of the identity layout.

    The identity layout is used if it is the same.
    """
    packed = packed_strides(shape)
    if offset == 0 and None not in packed and list(strides) == packed:
        return MemRefType(element, shape)
    return MemRefType(element, shape, StridedLayoutAttr(tuple(strides), offset))


def subview_type(
    source: MemRef, offsets: Sequence[int | None], sizes: Sequence[int | None], steps: Sequence[int | None]
) -> MemRef:
    """Return the type of a subview.

    `None` stands for an SSA offset, size or step.
    """
    strides, offset = layout(source)
    for begin, stride in zip(offsets, strides, strict=True):
        if begin != 0:
            offset = None if offset is None or begin is None or stride is None else offset + begin * stride
    new_strides = [None if s is None or t is None else s * t for s, t in zip(strides, steps, strict=True)]
    shape = [DYNAMIC_INDEX if size is None else size for size in sizes]
    return strided_memref(source.element_type, shape, new_strides, offset)


def expand_type(source: MemRef, groups: Reassociation, shape: Sequence[int]) -> MemRef:
    """The type of an expand_shape to `shape`."""
    if is_identity(source):
        return MemRefType(source.element_type, shape)
    strides, offset = layout(source)
    expanded: list[int | None] = [None] * len(shape)
    for group, source_stride in zip(groups, strides, strict=True):
        stride = source_stride
        for dim in reversed(group):
            expanded[dim] = stride
            stride = None if stride is None or shape[dim] == DYNAMIC_INDEX else stride * shape[dim]
    return MemRefType(source.element_type, shape, StridedLayoutAttr(expanded, offset))


def collapse_type(
    source: MemRef, groups: Reassociation, shape: Sequence[int], *, trusted: bool = False
) -> MemRef | None:
    """Return the type of a collapse_shape to `shape`, or `None`.

    Return `None` if the joined dimensions are not contiguous. With `trusted`, dimensions count as contiguous if dynamic
    strides and extents do not decide it.
    """
    if is_identity(source):
        return MemRefType(source.element_type, shape)
    strides, offset = layout(source)
    extents = source.get_shape()
    collapsed: list[int | None] = []
    for group in groups:
        # Dimensions of extent 1 say nothing about contiguity, and a dynamic one may turn out to be 1.
        real = [dim for dim in group if extents[dim] != 1] or [group[0]]
        single = len(group) == 1 or group[0] == real[-1] == real[0]
        last = real[-1]
        collapsed.append(strides[last] if extents[last] != DYNAMIC_INDEX or single else None)
        for outer, inner in pairwise(real):
            inner_stride, outer_stride, extent = strides[inner], strides[outer], extents[inner]
            if inner_stride is None or outer_stride is None or extent == DYNAMIC_INDEX:
                if not trusted:
                    return None
            elif outer_stride != inner_stride * extent:
                return None
    return MemRefType(source.element_type, shape, StridedLayoutAttr(collapsed, offset))


def reassociation(groups: Reassociation) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(dim, i64) for dim in group]) for group in groups])


def groups_of(attr: ArrayAttr[ArrayAttr[IntegerAttr]]) -> list[list[int]]:
    return [[dim.value.data for dim in group] for group in attr]


PADS_ATTR = "loomir.pads"


@dataclass(frozen=True)
class PadSpec:
    """Padding of an input operand: amounts and the pad value.

    Each amount is a number or an SSA `index`, one per dimension.
    """

    low: tuple[int | SSAValue, ...]
    high: tuple[int | SSAValue, ...]
    value: SSAValue

    def scalars(self) -> tuple[SSAValue, ...]:
        """Return the scalars to append to the inputs.

        They are the pad value, then the SSA amounts of low and of high.
        """
        return (self.value, *(amount for amount in (*self.low, *self.high) if isinstance(amount, SSAValue)))

    def padded_type(self, type: MemRefType[Attribute]) -> MemRefType[Attribute]:
        """Return the type of a memref of `type` with its padding."""
        amounts = zip(self.low, type.get_shape(), self.high, strict=True)
        return MemRefType(type.element_type, [_padded_extent(*each) for each in amounts])

    def encode(self, operand: int, first_scalar: int) -> DictionaryAttr:
        """The dictionary for input `operand`, whose `scalars()` begin at input `first_scalar`."""
        entry: dict[str, Attribute] = {"operand": IntegerAttr(operand, i64)}
        entry["low"] = _static_amounts(self.low)
        entry["high"] = _static_amounts(self.high)
        dynamic = range(first_scalar + 1, first_scalar + len(self.scalars()))
        if dynamic:
            entry["dynamic"] = DenseArrayBase.from_list(i64, list(dynamic))
        entry["value"] = IntegerAttr(first_scalar, i64)
        return DictionaryAttr(entry)


def _padded_extent(low: int | SSAValue, size: int, high: int | SSAValue) -> int:
    if size == DYNAMIC_INDEX or not isinstance(low, int) or not isinstance(high, int):
        return DYNAMIC_INDEX
    return low + size + high


def padded_source(value: SSAValue) -> SSAValue:
    """Return the memref that holds the elements of a padded operand.

    The operand is a cast of that memref.
    """
    owner = value.owner
    return owner.inputs[0] if isinstance(owner, UnrealizedConversionCastOp) else value


def _static_amounts(amounts: Sequence[int | SSAValue]) -> DenseArrayBase:
    return DenseArrayBase.from_list(
        i64, [amount if isinstance(amount, int) else DYNAMIC_INDEX for amount in amounts]
    )


def read_pads(generic: GenericOp) -> dict[int, PadSpec]:
    """Return the padding of each padded input operand of `generic`.

    The result is keyed by the position among the inputs.
    """
    pads = generic.attributes.get(PADS_ATTR)
    if pads is None:
        return {}
    assert isinstance(pads, ArrayAttr), pads
    result: dict[int, PadSpec] = {}
    for entry in pads:
        assert isinstance(entry, DictionaryAttr), entry
        dynamic = iter(_numbers(entry.data["dynamic"]) if "dynamic" in entry.data else ())
        low, high = (
            tuple(
                generic.inputs[next(dynamic)] if amount == DYNAMIC_INDEX else amount
                for amount in _numbers(entry.data[key])
            )
            for key in ("low", "high")
        )
        value = generic.inputs[_number(entry.data["value"])]
        result[_number(entry.data["operand"])] = PadSpec(low, high, value)
    return result


def permuted_pads(generic: GenericOp, operand: int, order: Sequence[int]) -> ArrayAttr[Attribute] | None:
    """Return `loomir.pads` with input `operand`'s dimensions permuted, or None.

    `order` is the new order of the dimensions. Return None if that input is not padded.
    """
    pads = generic.attributes.get(PADS_ATTR)
    if operand not in read_pads(generic):
        return None
    assert isinstance(pads, ArrayAttr), pads
    entries: list[Attribute] = []
    for entry in pads.data:
        assert isinstance(entry, DictionaryAttr), entry
        entries.append(_permuted(entry, order) if _number(entry.data["operand"]) == operand else entry)
    return ArrayAttr(entries)


def _permuted(entry: DictionaryAttr, order: Sequence[int]) -> DictionaryAttr:
    data = dict(entry.data)
    scalars = iter(_numbers(data["dynamic"]) if "dynamic" in data else ())
    dynamic: list[int] = []
    for key in ("low", "high"):
        # (An amount that is a number, or the input that holds it.)
        amounts = [(n, next(scalars) if n == DYNAMIC_INDEX else None) for n in _numbers(data[key])]
        amounts = [amounts[dim] for dim in order]
        data[key] = DenseArrayBase.from_list(i64, [amount for amount, _ in amounts])
        dynamic += [scalar for _, scalar in amounts if scalar is not None]
    if dynamic:
        data["dynamic"] = DenseArrayBase.from_list(i64, dynamic)
    return DictionaryAttr(data)


def _number(attribute: Attribute) -> int:
    assert isinstance(attribute, IntegerAttr), attribute
    return attribute.value.data


def _numbers(attribute: Attribute) -> tuple[int, ...]:
    assert isinstance(attribute, DenseArrayBase), attribute
    values = attribute.get_values()
    return tuple(value for value in values if isinstance(value, int))
