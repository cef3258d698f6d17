"""The base class of `seq` operations: how one is built, inferred, printed and compared."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.ov.base import AttrValue, Operand, set_result_types, unchecked
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.parameters import Interval, one_interval
from loomir.dialects.seq.facts import AnyFact, any_fact_of, tensor_fact
from loomir.dialects.seq.types import same_kind
from loomir.errors import Error


class SeqOperation(IRDLOperation, HasCanonicalizationPatternsInterface):
    """An operation of the `seq` dialect, in GRAPH only: on tensors, sequences and optionals.

    Like an `OvOperation`, but its facts are of all three kinds. What may fail when it runs (a position out of range, an
    absent optional) has no effect on memory, so that it goes where nothing uses it, and is not speculatable.
    """

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from loomir.dialects.seq.canonicalization import patterns_of

        return patterns_of(cls)

    @abstractmethod
    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        """Facts of the results from those of the operands (an absent optional operand has none in the list).

        Raises `Error` (without a place: the caller adds it with `at`) where the operands are illegal for the operation.
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
