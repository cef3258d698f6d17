"""The `quads` dialect: four 8-bit integers packed into one 32-bit integer.

Processors multiply bytes in this form. The dialect occurs in LOOPS only.

A quad is four adjacent elements of a row, the first one in the lowest byte. Sums of products of bytes read memory by quads
(`quads.view`), and one or two instructions perform four of their steps (`quads.dot`):

```mlir
%q = quads.view %x : memref<25x64xi8> to memref<25x16xi32>
%s = quads.dot %acc, %a, %b {zero = 83 : i32} : i32
```

Source: `VPDPBUSD`, `VPDPWSSD`, `PMADDWD` (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2); `SMLAD`, `SXTB16`
(Armv7-M Architecture Reference Manual, DSP extension).
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    UnitAttr,
    VectorType,
    i8,
    i32,
)
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.element_types import memref_type_of

SIZE = 4
"""Bytes of a quad."""


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The same memory, four neighbours of the last dimension as one element.

    - `source`: a memref of `i8` without a layout, whose last extent is known and a multiple of 4;
    - result: of `i32`, that extent a quarter, all others the same.

    Error: the verifier refuses other types.
    """

    name = "quads.view"

    source = operand_def(MemRefType)
    result = result_def(MemRefType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"
    traits = traits_def(Pure())

    def __init__(self, source: SSAValue) -> None:
        super().__init__(operands=[source], result_types=[view_type(memref_type_of(source))])

    def verify_(self) -> None:
        source, result = memref_type_of(self.source), memref_type_of(self.result)
        if not has_quads(source):
            raise VerifyException(f"{source}: i8 rows of quads must have 4 · n elements and no layout")
        if result != view_type(source):
            raise VerifyException(f"the view of {source} has type {view_type(source)}, not {result}")


def has_quads(type_: MemRefType) -> bool:
    """Return True if the rows of a memref divide into quads."""
    shape = type_.get_shape()
    return (
        type_.element_type == i8
        and isinstance(type_.layout, NoneAttr)
        and bool(shape)
        and shape[-1] != DYNAMIC_INDEX
        and shape[-1] % SIZE == 0
    )


def view_type(type_: MemRefType) -> MemRefType:
    """Return the type of a memref viewed as quads."""
    *outer, last = type_.get_shape()
    return MemRefType(i32, [*outer, last // SIZE], type_.layout, type_.memory_space)


@irdl_op_definition
class DotOp(IRDLOperation):
    """Dot product of four bytes, added to an accumulator.

    It computes `accumulator` + Σ (aᵢ − zero) · bᵢ over the four bytes of `lhs` and `rhs`; overflow wraps as in `arith.addi`.

    - `accumulator`, `lhs`, `rhs`, result: `i32`, or a vector of `i32`, lane by lane;
    - `unsigned`: the bytes of `lhs` are 0 … 255. Without it, and for `rhs` in any case, the bytes are -128 … 127;
    - `zero`: an `i32` in the range of a byte of `lhs`, subtracted from each of them.

    Error: the verifier rejects a `zero` outside the range of a byte.
    """

    name = "quads.dot"

    T: ClassVar = VarConstraint("T", EqAttrConstraint(i32) | base(VectorType))

    accumulator = operand_def(T)
    lhs = operand_def(T)
    rhs = operand_def(T)
    zero = prop_def(IntegerAttr[IntegerType])
    unsigned = opt_prop_def(UnitAttr)
    result = result_def(T)

    assembly_format = "$accumulator `,` $lhs `,` $rhs attr-dict `:` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    def __init__(
        self, accumulator: SSAValue, lhs: SSAValue, rhs: SSAValue, zero: int = 0, *, unsigned: bool = False
    ) -> None:
        properties: dict[str, Attribute] = {"zero": IntegerAttr(zero, i32)}
        if unsigned:
            properties["unsigned"] = UnitAttr()
        super().__init__(
            operands=[accumulator, lhs, rhs], result_types=[accumulator.type], properties=properties
        )

    def verify_(self) -> None:
        least = 0 if self.unsigned is not None else -128
        if not least <= self.zero.value.data <= least + 255:
            raise VerifyException(
                f"zero = {self.zero.value.data}: it must be a byte, {least} … {least + 255}"
            )
        type_ = self.result.type
        if isinstance(type_, VectorType) and type_.element_type != i32:
            raise VerifyException(f"{type_}: quads are 32-bit integers")


def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    return Dialect("quads", [DotOp, ViewOp], [])
