"""The `ovseq` dialect: sequences of tensors and optionals, as in ONNX.

The dialect occurs in GRAPH only. (Its name is not `seq`, which is a dialect of CIRCT that xDSL has.)

Here is the base class of its operations, for construction, inference, printing and comparison. The operations are in `sequences` and
`splitting`; beside them are `types` (with facts, inferred knowledge) and `canonicalization`, small named rewrites that xDSL's
`canonicalize` finds through the operations. Loops carry such values, branches return them, and `main` takes and returns them;
`convert-ovseq-to-ov` converts them to tensors before the program leaves GRAPH.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from loomir.dialects.families import PatternRegistry, operations_of
from loomir.dialects.ov.base import AttrValue, Operand, set_result_types, unchecked
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.inference import Interval, from_front, one_interval
from loomir.dialects.ovseq.types import AnyFact, GraphValue, any_fact_of, same_kind, tensor_fact
from loomir.errors import Error

_REGISTRY = PatternRegistry("loomir.dialects.ovseq", ("canonicalization",))
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of


class SeqOperation(IRDLOperation, HasCanonicalizationPatternsInterface):
    """Operation of the `ovseq` dialect on tensors, sequences and optionals.

    It occurs in GRAPH only. It is like an `OvOperation`, but its facts are of all three kinds. An operation that may fail at
    run time (a position out of range, an absent optional) has no effect on memory, so it is removed if it has no uses, and it
    is not speculatable.
    """

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:

        return patterns_of(cls)

    @abstractmethod
    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        """Infer the facts of the results from those of the operands.

        An absent optional operand has no entry in the list. Raises `Error` (without a location: the caller adds it with `at`) if
        the operands are illegal for the operation.
        """

    @abstractmethod
    def evaluate(self, *values: Any, **_: Any) -> GraphValue:
        """Return the operation's single result for the given Python values.

        For the values see `GraphValue`. Lists and arrays are never written: a new list shares its arrays with the operands. Errors
        at run time: `runtime-index` (a position out of range), `runtime-absent`, `runtime-shape`.
        """

    @classmethod
    def make(
        cls,
        *operands: Operand,
        attributes: Mapping[str, AttrValue] | None = None,
        results: int = 1,
    ) -> Self:
        """Build the operation with inferred result types.

        The types are inferred from the facts of the operands in the IR. Takes one Python argument per declared operand: a sequence
        for a variadic operand, None for an absent optional one. Raises `Error` as `infer` does.
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
        """Verify that each result's kind and shape agree with inference.

        The kind must be the inferred one; the shape must not contradict the inferred shape.
        """
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
    """Return the bounds of a position, or None if they are unknown.

    A position is one integer. Errors: `element-type`, `operand-rank`.
    """
    return one_interval(tensor_fact(fact), "the position")


def position_among(position: np.ndarray, count: int, end: int) -> int:
    """Normalise a position to [0, end) in a sequence of `count` elements.

    The position may be counted from the end. Error: `runtime-index`.
    """
    given = int(position.reshape(()))
    found = from_front(given, count, end)
    if found is None:
        raise Error("runtime-index", f"position {given} is out of range for a sequence of length {count}")
    return found


@cache
def operations() -> tuple[type[Operation], ...]:
    """Every operation class of the dialect."""
    return operations_of("ovseq", __name__)


@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.ovseq.types import OptionalType, SequenceType

    return Dialect("ovseq", list(operations()), [SequenceType, OptionalType])
