"""Vectors as C: GNU vector types and loops over lanes.

Every vector has a named variable. Compilers turn a loop over lanes into one instruction.

| operation | C |
|---|---|
| `vector.load` | `*(const loomir_f32x8u *)&x[i]`, with a type that is aligned as one element (of quads: as a byte) and may alias it |
| `vector.store` | the same to the left |
| `vector.broadcast` | `{s, s, s, s, s, s, s, s}` |
| `arith.addf`, `subf`, `mulf`, `divf`, `negf` | the operator |
| `arith.addi`, `subi`, `muli` | the operator on vectors of unsigned integers, which wrap |
| `arith.shli`, `shrsi`, by a number of bits that all lanes have | the operator |
| `arith.bitcast` | a cast, which between vectors keeps bits |
| `arith.extsi`, `extui`, `trunci`; `muli` of what has 32 bits of 64 | a function (`vector_functions.py`) |
| `arith.select` | a loop over lanes, which reads both and then chooses |
| `arith.maximumf`, `minimumf` of what is no literal | two such loops, and bits of both |
| `arith.mulsi_extended` | its upper half by a function (`vector_functions.py`) |
| `quads.dot` | a function of instructions that the processor has (`vector_functions.py`) |
| any other | a loop over lanes of what the operation is for numbers |

A loop over lanes reads lanes of vectors and writes an array, which is then read as a vector: if a lane of a vector is
assigned, gcc 11 and 12 turn a true comparison into -1 (docs/upstream.md).

gcc 12 and clang 14 turn a loop over lanes into one instruction where the processor has it, including `fmaf` (with
contraction off, nothing else in the emitted C becomes one). A mask, a vector of `i1`, is an expression of its lanes,
and a variable only if it crosses a region; in memory it is bytes. A vector whose lanes are all the same number is read
as that number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign
from typing import Protocol

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Operation, SSAValue

from loomir.compiler.formats.c.expressions import Expr, float_literal, integer_literal, kind, name, value_type
from loomir.compiler.formats.c.rules import Rule, choose, quads_function, refuse
from loomir.compiler.formats.c.runtime import Runtime
from loomir.compiler.formats.c.statements import View
from loomir.compiler.formats.c.vector_functions import BOUND, LANES, converted, element_type
from loomir.dialects import quads
from loomir.dialects.scalars.row import is_boolean, width_of
from loomir.dialects.vectors import is_vector, lane_operation, lane_type, lanes_of
from loomir.passes.analysis.value_ranges import SAFE_INDEX, IntegerRanges, non_negative_range

_OPERATORS = {arith.AddfOp: "+", arith.SubfOp: "-", arith.MulfOp: "*", arith.DivfOp: "/"}
"""Operators that GNU C applies to vectors according to IEEE 754."""
_WRAPPING = {arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*"}
"""Operators with `arith` semantics on GNU C vectors of unsigned integers."""
_SAME_BITS = {("f32", "i32"), ("i32", "f32"), ("f64", "i64"), ("i64", "f64")}


class Host(Protocol):
    """Interface of the printer that the printing of vectors uses."""

    runtime: Runtime
    ranges: IntegerRanges

    def use(self, value: SSAValue) -> Expr: ...
    def atom(self, value: SSAValue) -> Expr: ...
    def alias(self, value: SSAValue, expression: Expr) -> None: ...
    def view(self, value: SSAValue) -> View: ...
    def settle(self) -> None: ...
    def line(self, text: str, declares: str | None = None, *, removable: bool = False) -> None: ...
    def written_view(self, op: Operation, buffer: SSAValue) -> View: ...
    def fresh(self, hint: str | None) -> str: ...


@dataclass
class _Lanes:
    """Context of a scalar rule in a loop over lanes.

    The operands are lanes of vectors, or numbers.
    """

    runtime: Runtime
    ranges: IntegerRanges
    operands: Mapping[SSAValue, Expr]

    def use(self, value: SSAValue) -> Expr:
        return self.operands[value]

    def atom(self, value: SSAValue) -> Expr:
        return self.operands[value]


class Vectors:
    """Prints the operations of one function that have vectors."""

    def __init__(self, host: Host, rules: Mapping[type[Operation], Rule]) -> None:
        self.host = host
        self.rules = rules
        self.masks: dict[SSAValue, Callable[[str], Expr]] = {}
        """Masks that are no variables, as expressions of the lane."""
        self.numbers: dict[SSAValue, Expr] = {}
        """Common lane value of each vector whose lanes are all equal.

        A loop over lanes reads it as a number; otherwise gcc 12 does not turn some loops into one instruction.
        """

    def print(self, op: Operation, used: Callable[[SSAValue], int]) -> bool:
        """Print one operation and return True if it is handled here."""
        match op:
            case vector.StoreOp():
                self._store(op)
            case vector.LoadOp():
                if used(op.result):
                    self._load(op)
            case vector.BroadcastOp():
                if used(op.vector):
                    e = self._bound(op, self.host.atom(op.source))
                    if not e.reads:
                        self.numbers[op.vector] = e
                    self._declare(op.vector, self._filled(op.vector.type, [e]))
            case arith.ConstantOp():
                if used(op.result):
                    self._constant(op)
            case arith.MulSIExtendedOp():
                self._product(op, used)
            case _ if type(op) in self.rules and len(op.results) == 1:
                if used(op.results[0]):
                    self._elementwise(op)
            case _:
                return False
        return True

    def _declare(self, result: SSAValue, text: str) -> None:
        word = self.host.fresh(result.name_hint)
        self.host.line(f"const {value_type(result.type)} {word} = {text};", word, removable=True)
        self.host.alias(result, name(word))

    def _bound(self, op: vector.BroadcastOp, e: Expr) -> Expr:
        """Return a literal limit as a variable whose value is hidden.

        This applies to a literal that a select both compares with and may return. The compiler does not know the variable's
        value: for `x < 2 ? 2 : x` gcc 12 generates a comparison and a select, for `x < bound ? bound : x` one instruction.
        """
        if not isinstance(e.literal, float) or not any(
            _is_limit(use.operation, op.vector) for use in op.vector.uses
        ):
            return e
        word, bound = self.host.fresh("literal"), self.host.fresh("bound")
        type_ = value_type(lane_type(op.vector.type))
        self.host.line(f"{BOUND} {type_} {word} = {e.text};", word)
        self.host.line(f"const {type_} {bound} = {word};", bound)
        return name(bound)

    def _filled(self, type_: object, lanes: list[Expr]) -> str:
        assert isinstance(type_, VectorType)
        (width,) = type_.get_shape()
        return f"{{{', '.join(e.text for e in (lanes * width)[:width])}}}"

    def _constant(self, op: arith.ConstantOp) -> None:
        type_, value = op.result.type, op.value
        assert isinstance(type_, VectorType)
        assert isinstance(value, DenseIntOrFPElementsAttr)
        k = kind(type_.element_type)
        if k == "i1":
            raise refuse(op, "a mask that is a constant")
        numbers = [n for n in value.get_values() if isinstance(n, int | float)]
        lanes = [float_literal(n, k) if k[0] in "fb" else integer_literal(int(n), k) for n in numbers]
        self._declare(op.result, self._filled(type_, lanes))

    def _place(self, view: View, type_: object, indices: list[Expr]) -> str:
        assert isinstance(type_, VectorType)
        const, end = "const " if view.const else "", "b" if view.quads else "u"
        return f"*({const}{value_type(type_)}{end} *)&{view.at(indices).text}"

    def _load(self, op: vector.LoadOp) -> None:
        view = self.host.view(op.base)
        indices = [self.host.use(i) for i in op.indices]
        if is_boolean(view.element):
            # (In memory a boolean is a byte.)
            place = view.at(indices).text
            self._declare_by_lanes(op.result, lambda lane: Expr(f"(&{place})[{lane}]"))
            return
        self._declare(op.result, self._place(view, op.result.type, indices))

    def _store(self, op: vector.StoreOp) -> None:
        view = self.host.written_view(op, op.base)
        self.host.settle()
        indices = [self.host.use(i) for i in op.indices]
        if is_boolean(view.element):
            place, lane = view.at(indices).text, self.host.fresh("lane")
            value = self._lane(op.vector, lane)
            self._loop(op.vector, lane, f"(&{place})[{lane}] = {value.text};")
            return
        self.host.line(f"{self._place(view, op.vector.type, indices)} = {self.host.use(op.vector).text};")

    def _product(self, op: arith.MulSIExtendedOp, used: Callable[[SSAValue], int]) -> None:
        """Both halves of a product of integers of 32 bits."""
        if kind(lane_type(op.lhs.type)) != "i32":
            raise refuse(op, "extended products of vectors are of i32")
        a, b = self.host.atom(op.lhs).text, self.host.atom(op.rhs).text
        signed = value_type(op.high.type)
        unsigned = signed.replace("loomir_i", "loomir_u")
        if used(op.low):
            self._declare(op.low, f"({signed})(({unsigned}){a} * ({unsigned}){b})")
        if used(op.high):
            self._declare(op.high, f"{signed.replace('loomir_', 'loomir_mulh_')}({a}, {b})")

    # ----- lane by lane

    def _elementwise(self, op: Operation) -> None:
        (result,) = op.results
        operands = list(op.operands)
        if type(op) in _OPERATORS:
            a, b = map(self.host.atom, operands)
            self._declare(result, f"{a.text} {_OPERATORS[type(op)]} {b.text}")
            return
        if isinstance(op, arith.NegfOp):
            self._declare(result, f"-{self.host.atom(operands[0]).text}")
            return
        if isinstance(op, quads.DotOp):
            texts = [self.host.atom(operand).text for operand in operands]
            word = value_type(result.type).replace("loomir_", f"loomir_{quads_function(op)}_")
            self._declare(result, f"{word}({', '.join(texts)}, {op.zero.value.data})")
            return
        on_integers = self._on_integers(op)
        if on_integers is not None:
            self._declare(result, on_integers)
            return
        if isinstance(op, arith.SelectOp) and not is_boolean(lane_type(result.type)):
            self._select(op)
            return
        if isinstance(op, arith.MaximumfOp | arith.MinimumfOp) and not self._has_bound(op):
            self._extremum(op)
            return
        of_lane = self._of_lane(op)
        if is_boolean(lane_type(result.type)) and not _crosses(result):
            self.masks[result] = of_lane
            return
        self._declare_by_lanes(result, of_lane)

    def _select(self, op: arith.SelectOp) -> None:
        """Print a select that reads both arms first.

        If the arms contain lanes, clang 14 generates branches and moves the computation of the lanes into them.
        """
        lane = self.host.fresh("lane")
        lines: list[str] = []
        arms = self._read(op.lhs, lane, lines), self._read(op.rhs, lane, lines)
        chosen = choose(self._lane(op.cond, lane), *arms, lane_type(op.result.type))
        self.host.alias(op.result, name(self._from_lanes(op.result, lane, chosen.text, lines)))

    def _has_bound(self, op: arith.MaximumfOp | arith.MinimumfOp) -> bool:
        """Return True if comparison with one operand suffices (`rules.extremum`).

        Such an operand is a number.
        """
        literals = [self.numbers[v].literal for v in op.operands if v in self.numbers]
        return any(isinstance(n, float) and n == n and (n, copysign(1, n)) != (0, -1) for n in literals)

    def _extremum(self, op: arith.MaximumfOp | arith.MinimumfOp) -> None:
        """Print the maximum or minimum from comparisons in both operand orders.

        Each comparison is a processor instruction, which returns its second operand if neither is greater or smaller.

        The two results are therefore the same number, or zeros of which both signs may occur, or one of them is a NaN. The
        bitwise or of both keeps a NaN and yields the smaller zero; for the greater zero, the sign must be set in both. One
        comparison suffices if one operand is known to be a number from +0 on.
        """
        (result,) = op.results
        a, b = op.operands
        if non_negative_range(a, self.host.ranges) is not None:
            a, b = b, a
        is_bound = non_negative_range(b, self.host.ranges) is not None
        relation = ">" if isinstance(op, arith.MaximumfOp) else "<"
        type_ = value_type(result.type)
        bits = type_.replace("loomir_f", "loomir_i")
        words: list[str] = []
        for first, second in ((b, a),) if is_bound else ((a, b), (b, a)):
            lane = self.host.fresh("lane")
            lines: list[str] = []
            p, q = (self._read(operand, lane, lines).text for operand in (first, second))
            word = self._from_lanes(result, lane, f"{p} {relation} {q} ? {p} : {q}", lines)
            words.append(f"({bits}){word}")
        limit = f"INT{kind(lane_type(result.type))[1:]}_MAX"
        if is_bound:
            # What is no less has no sign, but that of −0 or a NaN.
            (x,) = words
            is_greater = isinstance(op, arith.MaximumfOp)
            self._declare(result, f"({type_})({x} & {limit})" if is_greater else f"({type_}){x}")
            return
        x, y = words
        if isinstance(op, arith.MinimumfOp) or FastMathFlag.NO_SIGNED_ZEROS in op.fastmath.data:
            self._declare(result, f"({type_})({x} | {y})")
            return
        self._declare(result, f"({type_})(({x} & {y}) | (({x} | {y}) & {limit}))")

    def _read(self, operand: SSAValue, lane: str, lines: list[str]) -> Expr:
        """Return one lane of an operand that is chosen or not.

        One of `lines` reads the lane first; a number is returned unchanged.
        """
        e = self._lane(operand, lane)
        if operand in self.numbers:
            return e
        local = self.host.fresh("chosen")
        lines.append(f"const {value_type(lane_type(operand.type))} {local} = {e.text};")
        return name(local)

    def _on_integers(self, op: Operation) -> str | None:
        """Return an integer or bit operation that GNU C has for vectors.

        The result is None if a loop over lanes expresses the operation.
        """
        (result,) = op.results
        element = kind(lane_type(result.type))
        if isinstance(op, arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp):
            return self._converted(op)
        if isinstance(op, arith.BitcastOp):
            if (kind(lane_type(op.input.type)), element) not in _SAME_BITS:
                return None
            return f"({value_type(result.type)}){self.host.atom(op.input).text}"
        if element not in ("i32", "i64"):
            return None
        signed = value_type(result.type)
        unsigned = signed.replace("loomir_i", "loomir_u")
        if isinstance(op, arith.MuliOp) and element == "i64" and all(map(self._is_narrow, op.operands)):
            a, b = (self.host.atom(operand).text for operand in op.operands)
            return f"loomir_mul_i64x{lanes_of(result.type)}({a}, {b})"
        if type(op) in _WRAPPING:
            a, b = (f"({unsigned}){self.host.atom(operand).text}" for operand in op.operands)
            return f"({signed})({a} {_WRAPPING[type(op)]} {b})"
        if isinstance(op, arith.ShLIOp | arith.ShRSIOp):
            by = self.numbers[op.rhs].literal if op.rhs in self.numbers else None
            if isinstance(by, int) and 0 <= by < int(element[1:]):
                x = self.host.atom(op.lhs).text
                return (
                    f"{x} >> {by}"
                    if isinstance(op, arith.ShRSIOp)
                    else f"({signed})(({unsigned}){x} << {by})"
                )
        return None

    def _converted(self, op: arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp) -> str | None:
        """Return integers extended or truncated, or None if either side is masks."""
        bits, to = width_of(lane_type(op.input.type)), width_of(lane_type(op.result.type))
        if 1 in (bits, to):
            return None
        sign, lanes = "u" if isinstance(op, arith.ExtUIOp) else "i", lanes_of(op.result.type)
        return converted(self.host.atom(op.input).text, sign, bits, to, lanes)

    def _is_narrow(self, value: SSAValue) -> bool:
        """Return True if all 64-bit lanes hold 32-bit integers."""
        if isinstance(value.owner, arith.ExtSIOp) and width_of(lane_type(value.owner.input.type)) <= 32:
            return True
        number = self.numbers[value].literal if value in self.numbers else None
        return isinstance(number, int) and -(1 << 31) <= number < 1 << 31

    def _of_lane(self, op: Operation) -> Callable[[str], Expr]:
        """The operation on numbers, as an expression of the lane."""
        operands = list(op.operands)

        def of_lane(lane: str) -> Expr:
            # (A twin of the operation on numbers is what the rule reads types and attributes from.)
            twin = lane_operation(op)
            values = {
                argument: self._lane(operand, lane)
                for operand, argument in zip(operands, twin.operands, strict=True)
            }
            ranges = IntegerRanges(SAFE_INDEX)
            ranges.analyse_operation(twin)
            return self.rules[type(twin)](twin, _Lanes(self.host.runtime, ranges, values))

        return of_lane

    def _lane(self, operand: SSAValue, lane: str) -> Expr:
        """One lane of a vector; a number as it is."""
        if operand in self.numbers:
            return self.numbers[operand]
        if operand in self.masks:
            e = self.masks[operand](lane)
            return Expr(f"({e.text})", reads=e.reads)
        atom = self.host.atom(operand)
        if not is_vector(operand.type):
            return atom
        if is_boolean(lane_type(operand.type)):
            return Expr(f"({atom.text}[{lane}] != 0)", reads=atom.reads)
        return Expr(f"{atom.text}[{lane}]", reads=atom.reads)

    def _declare_by_lanes(self, result: SSAValue, of_lane: Callable[[str], Expr]) -> None:
        lane = self.host.fresh("lane")
        self.host.alias(result, name(self._from_lanes(result, lane, of_lane(lane).text)))

    def _from_lanes(self, result: SSAValue, lane: str, value: str, before: Sequence[str] = ()) -> str:
        """Print a vector computed lane by lane and return its name.

        Its lanes are `value`, an expression of `lane`, with statements `before` it.
        """
        word, array = self.host.fresh(result.name_hint), self.host.fresh("lanes")
        type_ = value_type(result.type)
        self.host.line(f"{element_type(type_)} {array}[{lanes_of(result.type)}];", array)
        self._loop(result, lane, *before, f"{array}[{lane}] = {value};")
        self.host.line(f"const {type_} {word} = *(const {type_}u *){array};", word)
        return word

    def _loop(self, vector_: SSAValue, lane: str, *statements: str) -> None:
        self.host.line(f"{LANES} for (int {lane} = 0; {lane} < {lanes_of(vector_.type)}; ++{lane}) {{")
        for statement in statements:
            self.host.line(f"    {statement}")
        self.host.line("}")


def _is_limit(op: Operation, number: SSAValue) -> bool:
    """Return True if an operation selects between the operands of a comparison.

    `number` is one of these operands.
    """
    if not isinstance(op, arith.SelectOp) or not isinstance(op.cond.owner, arith.CmpfOp):
        return False
    return number in (op.lhs, op.rhs) and {op.lhs, op.rhs} == set(op.cond.owner.operands)


def _crosses(mask: SSAValue) -> bool:
    """Return True if a mask is used outside its block, or forwarded.

    A mask is forwarded if a terminator uses it.
    """
    assert isinstance(mask.owner, Operation)
    return any(
        use.operation.parent is not mask.owner.parent or use.operation.next_op is None for use in mask.uses
    )
