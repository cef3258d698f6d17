"""A mistake in each rule by which vectors become C, switched on in the printer for as long as a `with` lasts.

Lines that the printing of an operation writes are spoilt, and masks, which are expressions of their lanes, negated: `SPOILT` says how.
The programs are those of the nets, random ones and quantised ones, lowered for a machine with vectors; what they compute with a
mistake has to be something else than what the graph engine gives.

`python -m tests.differential.planted_vectors` prints which program finds each mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

import numpy as np
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

import loomir
from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.feeds import Boundary
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.formats.c.expressions import Expr
from loomir.compiler.formats.c.vectors import Vectors
from loomir.compiler.model import Model
from loomir.dialects import quads
from loomir.dialects.scalars.row import is_boolean
from loomir.dialects.vectors import is_vector, lane_type
from loomir.errors import Error
from loomir.tools.fuzz import OPEN_SCANS
from loomir.tools.fuzz.generator import program_of
from loomir.tools.fuzz.onnx_oracle import to_onnx
from tests.differential import quantised_programs
from tests.differential.quantised_networks import Program as QuantisedProgram
from tests.support import assert_values_agree

MACHINE = "x86-64-v3"
SEED = 2024
RANDOM, QUANTISED = 300, 40
"""How many programs of either kind may pass before a mistake is found."""


@dataclass(frozen=True)
class Spoilt:
    """Mistake in the printed lines of some operations.

    Lines that match `pattern` become `instead`. With `masks` the mistake is in operations whose first operand or any
    result is a mask, otherwise in those without one.
    """

    operations: tuple[type[Operation], ...]
    pattern: str
    instead: str
    masks: bool = False

    def concerns(self, op: Operation) -> bool:
        """Return True if the mistake is in this operation."""
        values = [*op.operands, *op.results]
        if not isinstance(op, self.operations) or not any(is_vector(v.type) for v in values):
            return False
        return self.masks == any(is_boolean(lane_type(v.type)) for v in (*op.operands[:1], *op.results))


_LANE, _WHOLE = r"(\[\w+\]) = (.*);$", r" = (.*);$"
_NEGATIVE, _NOT = r" = -(\1);", r"\1 = !(\2);"
_ARMS, _SWAPPED = r"(= .*?) \? (.*?) : (.*);$", r"\1 ? \3 : \2;"


def _operator(word: str, other: str) -> tuple[str, str]:
    return rf"(= .*?) {re.escape(word)} ", rf"\1 {other} "


SPOILT: Mapping[str, Spoilt] = {
    "load": Spoilt((vector.LoadOp,), r"\*\)&(.*\]);$", r"*)(&\1 + 1);"),
    "store": Spoilt((vector.StoreOp,), _WHOLE, r" = \1 + 1;"),
    "broadcast": Spoilt((vector.BroadcastOp,), r", [^,{}]+\};$", ", 0};"),
    "addf": Spoilt((arith.AddfOp,), *_operator("+", "-")),
    "subf": Spoilt((arith.SubfOp,), *_operator("-", "+")),
    "mulf": Spoilt((arith.MulfOp,), *_operator("*", "+")),
    "divf": Spoilt((arith.DivfOp,), *_operator("/", "*")),
    "negf": Spoilt((arith.NegfOp,), r"= -(.*);$", r"= \1;"),
    "fma": Spoilt((math.FmaOp,), _LANE, r"\1 = 1 + \2;"),
    "addi": Spoilt((arith.AddiOp,), *_operator("+", "-")),
    "subi": Spoilt((arith.SubiOp,), *_operator("-", "+")),
    "muli": Spoilt((arith.MuliOp,), *_operator("*", "+")),
    "shift-left": Spoilt((arith.ShLIOp,), " << ", " >> "),
    "bitcast": Spoilt((arith.BitcastOp,), r" = \((\w+)\).*;$", r" = (\1){0};"),
    "wider-or-narrower": Spoilt((arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp), _WHOLE, _NEGATIVE),
    "upper-half": Spoilt((arith.MulSIExtendedOp,), _WHOLE, _NEGATIVE),
    "dot-product": Spoilt((quads.DotOp,), _WHOLE, _NEGATIVE),
    "select": Spoilt((arith.SelectOp,), _ARMS, _SWAPPED, masks=True),
    "extremum": Spoilt((arith.MaximumfOp, arith.MinimumfOp), _ARMS, _SWAPPED),
    "integer-as-float": Spoilt((arith.SIToFPOp, arith.UIToFPOp), _LANE, r"\1 = 1 + \2;"),
    "float-as-integer": Spoilt((arith.FPToSIOp, arith.FPToUIOp), _LANE, r"\1 = 1 + \2;"),
    "absolute-value": Spoilt((math.AbsFOp,), _LANE, r"\1 = -\2;"),
    "root": Spoilt((math.SqrtOp,), _LANE, r"\1 = -\2;"),
    "comparison-of-floats": Spoilt((arith.CmpfOp,), "", "", masks=True),
    "comparison-of-integers": Spoilt((arith.CmpiOp,), "", "", masks=True),
    "logic": Spoilt((arith.AndIOp, arith.OrIOp, arith.XOrIOp), "", "", masks=True),
    "mask-as-integers": Spoilt((arith.ExtUIOp,), _LANE, _NOT, masks=True),
    "mask-as-floats": Spoilt((arith.UIToFPOp,), _LANE, _NOT, masks=True),
}
"""Mistakes by name; without a pattern a mask is negated, which other operations' lines have.

(No pass makes vectors of booleans in memory.)
"""


@contextmanager
def watched(spoil: Callable[[str, Spoilt, str], str]) -> Iterator[None]:
    """Pass each printed line through `spoil` while the context is active.

    `spoil` gets the name and the rule of each mistake that the line's operation could have.
    """
    real = Vectors.print

    def print_(self: Vectors, op: Operation, used: Callable[[SSAValue], int]) -> bool:
        concerned = [(name, rule) for name, rule in SPOILT.items() if rule.concerns(op)]
        write = self.host.line

        def line(text: str, *arguments: object, **options: object) -> None:
            for name, rule in concerned:
                if rule.pattern and re.search(rule.pattern, text):
                    text = spoil(name, rule, text)
            write(text, *arguments, **options)  # pyright: ignore[reportArgumentType]

        with patch.object(self.host, "line", line):
            printed = real(self, op, used)
        for result in op.results:
            if result in self.masks:
                for name, rule in concerned:
                    if not rule.pattern and spoil(name, rule, "") == "!":
                        self.masks[result] = _negated(self.masks[result])
        return printed

    with patch.object(Vectors, "print", print_):
        yield


def _negated(of_lane: Callable[[str], Expr]) -> Callable[[str], Expr]:
    return lambda lane: Expr(f"!({of_lane(lane).text})", reads=of_lane(lane).reads)


@contextmanager
def switched_on(mistake: str) -> Iterator[None]:
    """C is printed with this mistake."""

    def spoil(name: str, rule: Spoilt, text: str) -> str:
        if name != mistake:
            return text
        return re.sub(rule.pattern, rule.instead, text, count=1) if rule.pattern else "!"

    with watched(spoil):
        yield


Feed = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Candidate:
    """A program for a machine with vectors: what it is called, its LOOPS, a feed, what the graph engine gives."""

    name: str
    module: ModuleOp
    feed: Feed
    expected: Mapping[str, object]
    rules: frozenset[str]
    """The mistakes that its C could have."""

    def agrees(self) -> bool:
        """Return True if compiled C gives the expected results."""
        try:
            results = Boundary.of(self.module).assemble(
                NativeFunction(self.module, machine=MACHINE)(self.feed)
            )
            for name, value in self.expected.items():
                assert_values_agree(results[name], value)
        except (AssertionError, Error):
            return False
        return True


@cache
def candidate(number: int) -> list[Candidate]:
    """A random program, or a quantised one with integers, for each of its feeds; none where it is refused."""
    if number < RANDOM:
        program = program_of(SEED, number, size=6)
        model, feeds = loomir.load(to_onnx(program)), program.feeds
        name, refused = f"random program {number}", bool(program.refusals) or OPEN_SCANS in program.features
    else:
        quantised = QuantisedProgram(quantised_programs.SEED, number - RANDOM)
        model = loomir.load(quantised.model(), integers=True)
        feeds, name, refused = (
            quantised_programs.feeds(quantised),
            f"quantised program {number - RANDOM}",
            False,
        )
    return [] if refused else [_candidate(name, model, feed) for feed in feeds]


def _candidate(name: str, model: Model, feed: Feed) -> Candidate:
    module = model.for_feed(feed).for_machine(MACHINE).lowered("loops")
    rules: set[str] = set()

    def note(name: str, rule: Spoilt, text: str) -> str:
        rules.add(name)
        return text

    with watched(note):
        emit_c(module, "model")
    return Candidate(name, module, feed, model.run(feed, engine="graph"), frozenset(rules))


def search(mistake: str, *, planted: bool = True) -> str | None:
    """The first program that gives something else with a mistake, and the same without; with `planted=False` it stays off."""
    for number in range(RANDOM + QUANTISED):
        for each in candidate(number):
            if mistake not in each.rules:
                continue
            if not planted:
                assert each.agrees(), each.name
                return None
            with switched_on(mistake):
                if each.agrees():
                    continue
            assert each.agrees(), f"{each.name} without {mistake}"
            return each.name
    return None


if __name__ == "__main__":
    for each in SPOILT:
        print(f"{each:24} {search(each)}", flush=True)
