"""The types of values that operations on tensors take and give, as a constraint of their operands and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint
from xdsl.irdl.constraints import VerificationContext
from xdsl.utils.exceptions import VerifyException

AnyTensor = TensorType | UnrankedTensorType


@dataclass(frozen=True)
class _Tensor(AttrConstraint[AnyTensor]):
    """A tensor of any rank. (Of a union of types xDSL only says that an attribute is unexpected.)"""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, AnyTensor):
            raise VerifyException(f"{attr} is not a tensor")

    def get_bases(self) -> set[type[Attribute]]:
        return {TensorType, UnrankedTensorType}

    def mapping_type_vars(self, type_var_mapping: Any) -> AttrConstraint[AnyTensor]:
        return self


TENSOR = _Tensor()
