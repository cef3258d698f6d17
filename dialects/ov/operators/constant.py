"""`ov.constant`: a tensor whose contents are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def
from xdsl.traits import ConstantLike, Pure

from loomir.dialects.blob import ConstantAttr, constant_array, constant_attr
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact, HasContents


@irdl_op_definition
class ConstantOp(OvOperation, HasContents):
    """A constant tensor: OpenVINO Const-1, ONNX Constant and initialisers.

    `value` is `dense<…>` (of strings `#ov.strings<…>`) up to a kilobyte and `#ov.blob<…>` above; the result has its type.

    ```mlir
    %0 = ov.constant dense<[1, 2]> : tensor<2xi64> : tensor<2xi64>
    ```
    """

    name = "ov.constant"

    value = prop_def(Attribute)
    output = result_def(TensorType)

    assembly_format = "$value attr-dict `:` type($output)"
    traits = traits_def(ConstantLike(), Pure())

    @staticmethod
    def of(array: np.ndarray) -> ConstantOp:
        """Create a constant that holds this array.

        The array must not be written any more.
        """
        value = constant_attr(array)
        return ConstantOp.build(result_types=[value.type], properties={"value": value})

    @property
    def array(self) -> np.ndarray:
        """The contents, read-only and without a copy."""
        return constant_array(self.value)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact.of_array(self.array)]

    def verify_(self) -> None:
        from xdsl.utils.exceptions import VerifyException

        if not isinstance(self.value, ConstantAttr):
            raise VerifyException("value must be dense<…>, #ov.blob<…> or #ov.strings<…>")
        if self.value.type != self.output.type:
            raise VerifyException(f"value has type {self.value.type}, the result {self.output.type}")

    def evaluate(self) -> np.ndarray:
        return self.array
