"""Results of reductions, and narrower elements made of them."""

from __future__ import annotations

from itertools import islice

from xdsl.dialects.builtin import TensorType, i1
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import SSAValue

from loomir.dialects.element_types import dtype_of, shaped_type_of

_STEPS = 64
"""Maximum number of elementwise operations searched for a narrow result's source.

It covers the operations of a requantisation, and some more.
"""


def reduces(generic: GenericOp) -> bool:
    return any(t.data is not IteratorType.PARALLEL for t in generic.iterator_types)


def narrows_a_sum(producer: GenericOp) -> bool:
    """Return True if the producer narrows the result of a reduction.

    Its elements are narrower than those of the reduction's result, from which elementwise steps that nothing else reads
    compute them. The producer then belongs behind that reduction.
    """
    narrow = max(_element_bytes(result) for result in producer.results)
    steps, waiting = {producer}, list(producer.inputs)
    left = _STEPS
    while waiting and left:
        left -= 1
        value = waiting.pop(0)
        owner = value.owner
        if not isinstance(owner, GenericOp) or (_element_bytes(value) <= narrow and not _is_truth(value)):
            continue
        readers = [use.operation for use in islice(value.uses, _STEPS)]
        if len(readers) == _STEPS:
            continue
        if not steps.issuperset(readers):
            # (Another step may read it that is found later.)
            waiting += [value] if waiting else []
            continue
        if reduces(owner):
            return True
        if owner not in steps:
            steps.add(owner)
            waiting += owner.inputs
    return False


def _is_truth(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.element_type == i1


def _element_bytes(value: SSAValue) -> int:
    """Bytes of an element."""
    return dtype_of(shaped_type_of(value).element_type).itemsize
