"""Types of values.

The module defines the constraint on the types that operations on tensors accept and return, and the types of values whose
kind is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrConstraint
from xdsl.irdl.constraints import VerificationContext
from xdsl.utils.exceptions import VerifyException

AnyTensor = TensorType | UnrankedTensorType


@dataclass(frozen=True)
class _Tensor(AttrConstraint[AnyTensor]):
    """Constraint for a tensor of any rank.

    (For a union of types xDSL only reports an unexpected attribute.)
    """

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, AnyTensor):
            raise VerifyException(f"{attr} is not a tensor")

    def get_bases(self) -> set[type[Attribute]]:
        return {TensorType, UnrankedTensorType}

    def mapping_type_vars(self, type_var_mapping: Any) -> AttrConstraint[AnyTensor]:
        return self


TENSOR = _Tensor()


@lru_cache(maxsize=4096)
def ranked(element: Attribute, shape: tuple[int, ...]) -> TensorType:
    """Return `tensor<…>` of these extents, with `DYNAMIC_INDEX` for `?`.

    The result is cached, since a program has few types and requests them often.
    """
    return TensorType(element, shape)


# What a constraint, a stage or a pass before has made sure of, where it is used.


def any_tensor_of(value: SSAValue) -> AnyTensor:
    """The type of a tensor that may be of unknown rank."""
    assert isinstance(value.type, AnyTensor), value
    return value.type


def tensor_type_of(value: SSAValue) -> TensorType:
    """The type of a tensor of known rank."""
    assert isinstance(value.type, TensorType), value
    return value.type


def memref_type_of(value: SSAValue) -> MemRefType:
    """The type of a buffer."""
    assert isinstance(value.type, MemRefType), value
    return value.type


def shaped_type_of(value: SSAValue) -> TensorType | MemRefType:
    """The type of a tensor or a buffer."""
    assert isinstance(value.type, TensorType | MemRefType), value
    return value.type


def set_type(value: SSAValue, type_: Attribute) -> None:
    """Change the type of a value in place.

    Its users must accept the new type.
    """
    value._type = type_
