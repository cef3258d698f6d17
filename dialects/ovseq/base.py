"""The base class of `ovseq` operations: how one is built, inferred, printed and compared."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.ov.base import AttrValue, Operand, set_result_types, unchecked
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.parameters import Interval, from_front, one_interval
from loomir.dialects.ovseq.facts import AnyFact, any_fact_of, tensor_fact
from loomir.dialects.ovseq.types import GraphValue, same_kind
from loomir.errors import Error


class SeqOperation(IRDLOperation, HasCanonicalizationPatternsInterface):
    """An operation of the `ovseq` dialect, in GRAPH only: on tensors, sequences and optionals.

    Like an `OvOperation`, but its facts are of all three kinds. What may fail when it runs (a position out of range, an
    absent optional) has no effect on memory, so that it goes where nothing uses it, and is not speculatable.
    """

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from loomir.dialects.ovseq.canonicalization import patterns_of

        return patterns_of(cls)

    @abstractmethod
    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        """Facts of the results from those of the operands (an absent optional operand has none in the list).

        Raises `Error` (without a place: the caller adds it with `at`) where the operands are illegal for the operation.
        """

    @abstractmethod
    def evaluate(self, *values: Any, **_: Any) -> GraphValue:
        """The result, which every operation has one of, on Python values (see `GraphValue`).

        Lists and arrays are never written: a new list shares its arrays with the operands. Errors when run: `runtime-index` (a
        position out of range), `runtime-absent`, `runtime-shape`.
        """

    @classmethod
    def make(
        cls,
        *operands: Operand,
        attributes: Mapping[str, AttrValue] | None = None,
        results: int = 1,
    ) -> Self:
        """Build the operation with result types inferred from what the IR says of its operands.

        One Python argument per declared operand: a sequence for a variadic one, None for an absent optional. Raises
        `Error` as `infer` does.
        """
        op = unchecked(cls, operands, attributes, results)
        try:
            facts = op.infer([any_fact_of(o) for o in op.operands])
            set_result_types(op, [fact.type for fact in facts])
        except Error:
            # Leave no uses behind: the operation is not going to exist.
            op.drop_all_references()
            raise
        return op

    def verify_(self) -> None:
        """Results must be of the kind that inference says, and must not contradict its shapes."""
        try:
            facts = self.infer([any_fact_of(o) for o in self.operands])
        except Error as error:
            raise VerifyException(f"{error.what} [{error.identifier}]") from error
        for index, (result, fact) in enumerate(zip(self.results, facts, strict=True)):
            if not same_kind(result.type, fact.type):
                raise VerifyException(f"result {index} has type {result.type}, inference says {fact.type}")
            if isinstance(fact, Fact) and _contradict(Fact.of_type(result.type), fact):
                raise VerifyException(
                    f"result {index} has type {result.type}, which contradicts the inferred {fact.type}"
                )


def _contradict(a: Fact, b: Fact) -> bool:
    if a.shape is None or b.shape is None:
        return False
    return len(a.shape) != len(b.shape) or any(x.meet(y) is None for x, y in zip(a.shape, b.shape))


def position_of(fact: AnyFact) -> Interval | None:
    """Bounds of a position, which is one integer; None where nothing is known. Errors: `element-type`, `operand-rank`."""
    return one_interval(tensor_fact(fact), "the position")


def position_among(position: np.ndarray, count: int, end: int) -> int:
    """A position, which may be counted from behind, in [0, end) of a sequence of `count` elements. Error: `runtime-index`."""
    given = int(position.reshape(()))
    found = from_front(given, count, end)
    if found is None:
        raise Error("runtime-index", f"position {given} is out of range for a sequence of length {count}")
    return found
