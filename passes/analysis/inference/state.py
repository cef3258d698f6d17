"""What the analysis knows so far, which is also what it gives in the end."""

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
    """Branches and bodies of loops that are illegal for the shapes here, and why; their values have no facts worth reading."""
    taken: dict[IfOp, bool] = field(default_factory=dict)
    """The branches whose conditions are known, and what they are: of constants, or because of the branches that they are in."""
    assumed: dict[Block, dict[SSAValue, np.ndarray]] = field(default_factory=dict)
    """What values from outside hold in a branch of an `ov.if`, and not elsewhere (see `assumptions`)."""
    keep_shapeof: bool = False
    depth: int = 0
    capacity: int | None = None
    """The largest extent of what nothing else bounds (see `capacity`); None: such extents have no bound."""
    limited: dict[SSAValue, Bounds[int | None]] = field(default_factory=dict)
    """What is assumed of operations' results: that extents without a bound are at most the capacity, and what their types note and
    does not follow."""
    carried_limits: dict[LoopOp, dict[tuple[int, int], int]] = field(default_factory=dict)
    """Extents of loop-carried values that are assumed: (carried value, dimension) → largest extent in the body."""
    limits_used: int = 0
    """How often something was assumed because of the capacity, in all rounds so far."""

    def found(self, value: SSAValue) -> Fact:
        """What was found of a tensor where it is made; what its type says where the analysis did not reach it."""
        known = self.facts.get(value)
        return Fact.of_type(value.type) if known is None else known

    def fact(self, value: SSAValue) -> Fact:
        """What is known of a tensor that is read at the place that the analysis has come to; behind it, what was found."""
        return self.found(value)

    def any_fact(self, value: SSAValue) -> AnyFact:
        """The same of any value."""
        if isinstance(value.type, SeqType):
            return self.seq_facts.get(value) or fact_of_type(value.type)
        return self.fact(value)

    def known(self, value: SSAValue) -> AnyFact | None:
        """What the analysis found of a value; None where it did not reach it."""
        return self.facts.get(value) or self.seq_facts.get(value)

    def set(self, value: SSAValue, fact: AnyFact) -> None:
        """Note what is known of a value."""
        if isinstance(fact, Fact):
            self.facts[value] = fact
        else:
            self.seq_facts[value] = fact

    @abstractmethod
    def run_block(self, block: Block) -> None:
        """Compute the facts of every operation of a block whose arguments have theirs."""
