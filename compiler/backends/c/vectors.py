"""Vectors as C: every value a variable of a GNU vector type.

What GNU C's operators say of vectors is just what the operation does in each lane is written with them; anything else as the list of what
the scalar operation gives in each lane:

    const loomir_f32x4 s = {fmaf(x[0], y[0], z[0]), fmaf(x[1], y[1], z[1]), …};

of which gcc and clang make one instruction where there is one. Choices are made by masks, which GNU C has no operator for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, VectorType
from xdsl.ir import Operation, OpResult, SSAValue

from loomir.compiler.backends.c.expressions import (
    Expr,
    add,
    binary,
    cast,
    conditional,
    integer,
    name,
    unary,
)
from loomir.compiler.backends.c.integers import extended_rule
from loomir.compiler.backends.c.literals import float_literal, integer_literal, kind, value_type, vector_type
from loomir.compiler.backends.c.loops import Loops
from loomir.compiler.backends.c.memory import View
from loomir.compiler.backends.c.rules import EXTENDED, RULES
from loomir.compiler.backends.c.runtime import Runtime
from loomir.compiler.backends.c.scalar import refuse
from loomir.dialects.scalars.predicates import RELATIONS, float_predicate, integer_predicate
from loomir.dialects.vectors import is_vector, lane_operation, lane_type, lanes_of
from loomir.passes.analysis.integer_ranges import IntegerRanges

_WIDTH = 100
"""Characters of a line of lanes."""

_FLOAT_OPERATORS = {arith.AddfOp: "+", arith.SubfOp: "-", arith.MulfOp: "*", arith.DivfOp: "/"}
_WRAPPING = {arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*"}
_BITWISE = {arith.AndIOp: "&", arith.OrIOp: "|", arith.XOrIOp: "^"}


class Lane:
    """One lane as the rules of scalar operations see it: operands are elements of vectors."""

    def __init__(self, runtime: Runtime, ranges: IntegerRanges, operands: dict[SSAValue, Expr]) -> None:
        self.runtime = runtime
        self.ranges = ranges
        self._operands = operands

    def use(self, value: SSAValue) -> Expr:
        """The expression of an operand: as cheap as a variable."""
        return self._operands[value]

    atom = use


class Vectors(Loops):
    """Operations on vectors, on top of control flow."""

    def written(self, op: Operation, buffer: SSAValue) -> View:
        """What is known of a memref that an operation writes; refused where nobody may."""
        raise NotImplementedError

    def vector(self, op: Operation) -> None:
        """Print an operation that has to do with vectors."""
        if isinstance(op, vector.StoreOp):
            self._store_vector(op)
            return
        for index, result in enumerate(op.results):
            if self.needed.uses[result]:
                self._define(op, index, result)

    def _define(self, op: Operation, index: int, result: OpResult) -> None:
        if not is_vector(result.type):
            raise refuse(op, "a scalar made of vectors")
        found = self._vector_of(op, result.type) if index == 0 else None
        if found is None:
            self._initialise(result, self._lanes(op, index, lanes_of(result.type)))
        else:
            self._settle(result, found)

    def _vector_of(self, op: Operation, t: VectorType) -> Expr | None:
        """The result as one expression, or None where it is made lane by lane."""
        if isinstance(op, vector.LoadOp):
            return self._load_vector(op, t)
        rule = _VECTOR_RULES.get(type(op))
        return None if rule is None else rule(self, op, t)

    # ----- memory -------------------------------------------------------------------------------------------

    def _element(self, view: View, indices: list[Expr], lane: int) -> Expr:
        """The element that is `lane` behind the one at the indices."""
        *outer, last = indices
        return view.at([*outer, add(last, integer(lane))])

    def _check_neighbours(self, op: Operation, view: View) -> None:
        if not view.strides or view.strides[-1].literal != 1:
            raise refuse(op, "of elements that are no neighbours in memory")

    def _load_vector(self, op: vector.LoadOp, t: VectorType) -> Expr | None:
        view = self.view(op.base)
        self._check_neighbours(op, view)
        if kind(t.element_type) == "i1":
            return None
        first = view.at([self.use(i) for i in op.indices])
        return Expr(f"*({'const ' if view.const else ''}{vector_type(t)}_unaligned *)&{first.text}", 90)

    def _store_vector(self, op: vector.StoreOp) -> None:
        view = self.written(op, op.base)
        self._check_neighbours(op, view)
        t = op.vector.type
        assert is_vector(t)
        self.settle(op.operands)
        value = self.atom(op.vector)
        if kind(t.element_type) == "i1":
            indices = [self.atom(i) for i in op.indices]
            for lane in range(lanes_of(t)):
                self.line(f"{self._element(view, indices, lane).text} = {value.text}[{lane}] != 0;")
            return
        first = view.at([self.use(i) for i in op.indices])
        self.line(f"*({vector_type(t)}_unaligned *)&{first.text} = {value.text};")

    # ----- lanes --------------------------------------------------------------------------------------------

    def _initialise(self, result: OpResult, lanes: list[str]) -> None:
        """Declare a vector by what is in its lanes."""
        word = self.names.fresh(result.name_hint, "v")
        head = f"const {value_type(result.type)} {word} = {{"
        text = ", ".join(lanes)
        if len(head) + len(text) < _WIDTH:
            self.line(f"{head}{text}}};", word, removable=True)
        else:
            # One line to whoever removes declarations.
            margin = "    " * self.depth
            rows = [f"{margin}    {row}" for row in _rows(lanes)]
            self.line("\n".join([head, *rows, f"{margin}}};"]), word, removable=True)
        self.alias(result, name(word))

    def _lanes(self, op: Operation, index: int, count: int) -> list[str]:
        result = op.results[index]
        boolean = kind(lane_type(result.type)) == "i1"
        found = self._lane_expressions(op, index, count)
        return [(_mask_lane(e) if boolean else e).text for e in found]

    def _lane_expressions(self, op: Operation, index: int, count: int) -> list[Expr]:
        if isinstance(op, vector.BroadcastOp):
            return [self.atom(op.source)] * count
        if isinstance(op, vector.LoadOp):
            view, indices = self.view(op.base), [self.atom(i) for i in op.indices]
            return [self._element(view, indices, lane) for lane in range(count)]
        scalar = lane_operation(op)
        values = [self.atom(v) for v in op.operands]
        rule = RULES.get(type(op))
        found: list[Expr] = []
        for lane in range(count):
            operands = {a: _in_lane(e, v, lane) for a, e, v in zip(scalar.operands, values, op.operands)}
            c = Lane(self.runtime, self.ranges, operands)
            if rule is not None:
                found.append(rule(scalar, c))
            else:
                found.append(extended_rule(EXTENDED[type(op)], scalar, c, index))
        return found


def _in_lane(e: Expr, value: SSAValue, lane: int) -> Expr:
    if not is_vector(value.type):
        return e
    element = Expr(f"{e.text}[{lane}]", reads=e.reads)
    return binary("!=", element, integer(0)) if kind(value.type.element_type) == "i1" else element


def _mask_lane(e: Expr) -> Expr:
    if e.literal is not None:
        return integer(-1 if e.literal else 0)
    return conditional(e, integer(-1), integer(0))


def _rows(lanes: list[str]) -> list[str]:
    rows: list[str] = []
    for lane in lanes:
        if rows and len(rows[-1]) + len(lane) + 2 <= _WIDTH:
            rows[-1] += f" {lane},"
        else:
            rows.append(f"{lane},")
    return rows


# ----- whole vectors ----------------------------------------------------------------------------------------


def _constant(p: Vectors, op: arith.ConstantOp, t: VectorType) -> Expr:
    values = op.value
    if not isinstance(values, DenseIntOrFPElementsAttr):
        raise refuse(op, f"a vector given by {values.name}")
    k = kind(t.element_type)
    lanes: list[str] = []
    for value in values.iter_attrs():
        if isinstance(value, FloatAttr):
            lanes.append(float_literal(value.value.data, k).text)
        elif k == "i1":
            lanes.append("-1" if value.value.data else "0")
        else:
            lanes.append(integer_literal(value.value.data, k).text)
    return Expr(f"{{{', '.join(lanes)}}}")


def _operator(p: Vectors, op: Operation, t: VectorType) -> Expr:
    return binary(_FLOAT_OPERATORS[type(op)], p.atom(op.operands[0]), p.atom(op.operands[1]))


def _negate(p: Vectors, op: Operation, t: VectorType) -> Expr:
    return unary("-", p.atom(op.operands[0]))


def _wrapping(p: Vectors, op: Operation, t: VectorType) -> Expr | None:
    k = kind(t.element_type)
    if k in ("i1", "index"):
        return None
    a, b = (cast(f"loomir_u{k[1:]}x{lanes_of(t)}", p.atom(v)) for v in op.operands)
    return cast(vector_type(t), binary(_WRAPPING[type(op)], a, b))


def _bitwise(p: Vectors, op: Operation, t: VectorType) -> Expr:
    return binary(_BITWISE[type(op)], p.atom(op.operands[0]), p.atom(op.operands[1]))


def _bits(k: str, lanes: int) -> str:
    """The vector of integers that has the lanes of one of this kind."""
    return f"loomir_{k.replace('f', 'i') if k[0] == 'f' else k}x{lanes}"


def _mask(p: Vectors, test: Expr, k: str, lanes: int) -> Expr:
    """A comparison of vectors of a kind as a mask: GNU C gives lanes as wide as what is compared."""
    if k in ("f32", "i32"):
        return cast(f"loomir_i1x{lanes}", test)
    return Expr(f"__builtin_convertvector({test.text}, loomir_i1x{lanes})")


def _compare_floats(p: Vectors, op: arith.CmpfOp, t: VectorType) -> Expr | None:
    predicate = float_predicate(op)
    if predicate.relation not in RELATIONS:
        return None
    compared = op.lhs.type
    test = binary(predicate.relation, p.atom(op.lhs), p.atom(op.rhs))
    test = unary("~", test) if predicate.negated else test
    return _mask(p, test, kind(lane_type(compared)), lanes_of(compared))


def _compare_integers(p: Vectors, op: arith.CmpiOp, t: VectorType) -> Expr | None:
    predicate, k, n = integer_predicate(op), kind(lane_type(op.lhs.type)), lanes_of(op.lhs.type)
    if k in ("i1", "index"):
        return None
    a, b = p.atom(op.lhs), p.atom(op.rhs)
    if predicate.unsigned:
        a, b = (cast(f"loomir_u{k[1:]}x{n}", e) for e in (a, b))
    return _mask(p, binary(predicate.relation, a, b), k, n)


def _select(p: Vectors, op: arith.SelectOp, t: VectorType) -> Expr | None:
    k, n = kind(t.element_type), lanes_of(t)
    if not is_vector(op.cond.type):
        return conditional(p.use(op.cond), p.atom(op.lhs), p.atom(op.rhs))
    if k == "index":
        return None
    mask = p.atom(op.cond)
    bits = _bits(k, n)
    if k not in ("f32", "i32", "i1"):
        mask = Expr(f"__builtin_convertvector({mask.text}, {bits})")
    elif k != "i1":
        mask = cast(bits, mask)
    a, b = (e if k[0] == "i" else cast(bits, e) for e in (p.atom(op.lhs), p.atom(op.rhs)))
    chosen = binary("|", binary("&", mask, a), binary("&", unary("~", mask), b))
    return chosen if k[0] == "i" else cast(vector_type(t), chosen)


def _extremum(less: str, more: str, zeros: str) -> Callable[[Vectors, Operation, VectorType], Expr]:
    """NaN where either is, the sum of both; of equal numbers, which differ in the sign of a zero at most, `zeros` of their bits."""

    def rule(p: Vectors, op: Operation, t: VectorType) -> Expr:
        a, b = (p.atom(v) for v in op.operands)
        bits = _bits(kind(t.element_type), lanes_of(t))

        def test(relation: str) -> Expr:
            return cast(bits, binary(relation, a, b))

        x, y = cast(bits, a), cast(bits, b)
        ordered = binary("|", binary("|", test(less), test(more)), test("=="))
        first = binary("&", test(less), x)
        second = binary("&", test(more), y)
        equal = binary("&", test("=="), binary(zeros, x, y))
        other = binary("&", unary("~", ordered), cast(bits, binary("+", a, b)))
        return cast(vector_type(t), binary("|", binary("|", binary("|", first, second), equal), other))

    return rule


def _convert(p: Vectors, op: Operation, t: VectorType) -> Expr | None:
    if "i1" in (kind(lane_type(op.operands[0].type)), kind(t.element_type)):
        return None
    return Expr(f"__builtin_convertvector({p.atom(op.operands[0]).text}, {vector_type(t)})")


_VECTOR_RULES: dict[type[Operation], Callable[[Vectors, Any, VectorType], Expr | None]] = {
    arith.ConstantOp: _constant,
    **dict.fromkeys(_FLOAT_OPERATORS, _operator),
    **dict.fromkeys(_WRAPPING, _wrapping),
    **dict.fromkeys(_BITWISE, _bitwise),
    arith.NegfOp: _negate,
    arith.CmpfOp: _compare_floats,
    arith.CmpiOp: _compare_integers,
    arith.SelectOp: _select,
    arith.MaximumfOp: _extremum(">", "<", "&"),
    arith.MinimumfOp: _extremum("<", ">", "|"),
    arith.ExtFOp: _convert,
    arith.TruncFOp: _convert,
    arith.SIToFPOp: _convert,
    arith.ExtSIOp: _convert,
}

VECTOR_OPERATIONS = (vector.LoadOp, vector.StoreOp, vector.BroadcastOp)
"""What there is of the vector dialect."""
