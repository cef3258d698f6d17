"""State of the analysis, which is also its final result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Block, SSAValue

from loomir.dialects.ov.bounds import Bounds
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ovseq.facts import AnyFact, OptionalFact, SequenceFact, fact_of_type
from loomir.dialects.ovseq.types import SeqType
from loomir.errors import Error


@dataclass
class State(ABC):
    """The facts of a module, complete or while they are computed."""

    facts: dict[SSAValue, Fact] = field(default_factory=dict)
    """Of tensors."""
    seq_facts: dict[SSAValue, SequenceFact | OptionalFact] = field(default_factory=dict)
    """Of sequences and optionals."""
    impossible: dict[Block, Error] = field(default_factory=dict)
    """Branches and loop bodies that are illegal for the shapes.

    Each comes with its error. The facts of their values are meaningless.
    """
    taken: dict[IfOp, bool] = field(default_factory=dict)
    """Branches with known conditions, and the conditions' values.

    A condition is known if it is constant, or because of the branches around it.
    """
    assumed: dict[Block, dict[SSAValue, np.ndarray]] = field(default_factory=dict)
    """Contents of outside values that hold only in an `ov.if` branch.

    See `assumptions`.
    """
    keep_shapeof: bool = False
    depth: int = 0
    capacity: int | None = None
    """Upper bound assumed for otherwise unbounded extents (see `capacity`).

    With None such extents stay unbounded.
    """
    limited: dict[SSAValue, Bounds[int | None]] = field(default_factory=dict)
    """Assumed bounds of operations' results.

    They are the capacity for unbounded extents, and bounds that the result types note but that cannot be inferred.
    """
    carried_limits: dict[LoopOp, dict[tuple[int, int], int]] = field(default_factory=dict)
    """Assumed extents of loop-carried values.

    The map is (carried value, dimension) → largest extent in the body.
    """
    limits_used: int = 0
    """Number of assumptions due to the capacity, over all rounds so far."""

    def found(self, value: SSAValue) -> Fact:
        """Return the fact found for a tensor at its definition.

        If the analysis did not reach it, return the fact of its type.
        """
        known = self.facts.get(value)
        return Fact.of_type(value.type) if known is None else known

    def fact(self, value: SSAValue) -> Fact:
        """Return the fact of a tensor at the analysis' current position.

        After the analysis it is the fact that was found at the definition.
        """
        return self.found(value)

    def any_fact(self, value: SSAValue) -> AnyFact:
        """The same of any value."""
        if isinstance(value.type, SeqType):
            return self.seq_facts.get(value) or fact_of_type(value.type)
        return self.fact(value)

    def known(self, value: SSAValue) -> AnyFact | None:
        """Return the fact found for a value, or None.

        The result is None if the analysis did not reach the value.
        """
        return self.facts.get(value) or self.seq_facts.get(value)

    def set(self, value: SSAValue, fact: AnyFact) -> None:
        """Note what is known of a value."""
        if isinstance(fact, Fact):
            self.facts[value] = fact
        else:
            self.seq_facts[value] = fact

    @abstractmethod
    def run_block(self, block: Block) -> None:
        """Compute the facts of every operation of a block.

        The block's arguments must have facts already.
        """
