"""Random GRAPH programs of nested loops and branches, for comparing a lowering with the graph engine.

Values are `?x3` integer matrices, integers and booleans. Loops have trip counts (constant, or bounded but only known when
run), conditions, carried values that are swapped, captured, grown or handed on, sliced inputs in both directions on both
axes, and concatenated outputs; branches differ in extents. Nothing is out of range, but a trip count may exceed the slices
of an input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

MATRIX, ROW, NUMBER, FLAG = "tensor<?x?xi64>", "tensor<1x3xi64>", "tensor<i64>", "tensor<i1>"
BACKWARDS = ", start = -1, end = 0, stride = -1"


@dataclass
class Scope:
    """Names of the values visible at a point, with their types."""

    matrices: list[tuple[str, str]]
    numbers: list[str]
    flags: list[str]

    def inner(self) -> Scope:
        return Scope(list(self.matrices), list(self.numbers), list(self.flags))


@dataclass
class Program:
    """The text of one program while it grows."""

    random: Random
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def make(self, op: str, operands: list[tuple[str, str]], result: str, attributes: str = "") -> str:
        new = self.name()
        names = ", ".join(n for n, _ in operands)
        types = ", ".join(t for _, t in operands)
        self.emit(f"{new} = {op} {names} {attributes} : ({types}) -> {result}")
        return new

    # -- straight code

    def matrix(self, scope: Scope) -> tuple[str, str]:
        return self.random.choice(scope.matrices)

    def number(self, scope: Scope) -> tuple[str, str]:
        return self.random.choice(scope.numbers), NUMBER

    def step(self, scope: Scope, grows: bool) -> None:
        kind = self.random.randrange(7 if grows else 6)
        if kind == 0:
            new = self.make("ov.add", [self.matrix(scope), ("%row", ROW)], MATRIX)
            scope.matrices.append((new, MATRIX))
        elif kind == 1:
            m = self.matrix(scope)
            new = self.make("ov.subtract", [m, self.number(scope)], MATRIX)
            scope.matrices.append((new, MATRIX))
        elif kind == 2:
            new = self.make(
                "ov.reduce_sum",
                [self.matrix(scope), ("%axis0", "tensor<1xi64>")],
                MATRIX,
                "{keep_dims = true}",
            )
            scope.matrices.append((new, MATRIX))
        elif kind == 3:
            scope.numbers.append(self.make("ov.add", [self.number(scope), self.number(scope)], NUMBER))
        elif kind == 4:
            scope.flags.append(self.make("ov.less", [self.number(scope), self.number(scope)], FLAG))
        elif kind == 5:
            m = self.matrix(scope)
            scope.matrices.append((self.make("ov.multiply", [m, m], MATRIX), MATRIX))
        else:
            pair = [self.matrix(scope), (("%row", ROW) if self.random.random() < 0.7 else self.matrix(scope))]
            scope.matrices.append((self.make("ov.concat", pair, MATRIX, "{axis = 0 : i64}"), MATRIX))

    def steps(self, scope: Scope, depth: int, most: int, grows: bool) -> None:
        for _ in range(self.random.randint(1, most)):
            choice = self.random.random()
            if depth and choice < 0.3:
                self.loop(scope, depth - 1)
            elif depth and choice < 0.5:
                self.branch(scope, depth - 1)
            else:
                self.step(scope, grows)

    # -- regions

    def branch(self, scope: Scope, depth: int) -> None:
        flag = self.random.choice(scope.flags)
        matrices, numbers = self.random.randint(0, 2), self.random.randint(0, 1)
        if not matrices + numbers:
            matrices = 1
        types = ", ".join([MATRIX] * matrices + [NUMBER] * numbers)
        names = [self.name() for _ in range(matrices + numbers)]
        self.emit(f"{', '.join(names)} = ov.if {flag} -> ({types}) {{")
        for arm in range(2):
            inner = scope.inner()
            self.steps(inner, depth, 3, True)
            values = [self.matrix(inner) for _ in range(matrices)] + [
                self.number(inner) for _ in range(numbers)
            ]
            self.emit(f"ov.yield {', '.join(n for n, _ in values)} : {', '.join(t for _, t in values)}")
            self.emit("} else {" if arm == 0 else "}")
        scope.matrices += [(n, MATRIX) for n in names[:matrices]]
        scope.numbers += names[matrices:]

    def loop(self, scope: Scope, depth: int) -> None:
        r = self.random
        sliced = [
            (self.matrix(scope), r.randrange(2), r.random() < 0.4) for _ in range(r.choice([0, 0, 1, 2]))
        ]
        bounded = [n for n in scope.numbers if n.startswith("%trip")]
        trip = r.choice(bounded) if not sliced or r.random() < 0.3 else None
        cond = r.choice(scope.flags) if r.random() < 0.3 else None
        matrices = [self.matrix(scope) for _ in range(r.randint(0, 2))]
        numbers = [self.number(scope) for _ in range(r.randint(0, 2))]
        carried = matrices + numbers
        operands = (
            [(trip, NUMBER)] * bool(trip) + [(cond, FLAG)] * bool(cond) + carried + [s[0] for s in sliced]
        )
        inner = scope.inner()
        i, arguments = self.name(), [self.name() for _ in carried]
        parts = [self.name() for _ in sliced]
        cuts = ", ".join(f"#ov.slice<axis = {a}{BACKWARDS if b else ''}>" for _, a, b in sliced)
        inner.numbers.append(i)
        inner.matrices += [(n, MATRIX) for n in arguments[: len(matrices)]]
        inner.numbers += arguments[len(matrices) :]

        outer, self.lines = self.lines, []
        for name, (_, axis, _) in zip(parts, sliced):
            if axis == 0:
                inner.matrices.append((name, MATRIX))
            else:
                column = self.make("ov.add", [(name, MATRIX), ("%row", ROW)], MATRIX)
                inner.matrices.append((column, MATRIX))
        self.steps(inner, depth, 4, bool(matrices) and r.random() < 0.5)
        after = [self.matrix(inner) for _ in matrices] + [self.number(inner) for _ in numbers]
        lasts = [self.matrix(inner)] if r.random() < 0.3 else []
        # What is concatenated must not change its shape between iterations: reduced to one row.
        joins = [(r.randrange(2), r.random() < 0.3) for _ in range(r.choice([0, 1, 1, 2]))]
        joined = [
            self.make(
                "ov.reduce_sum",
                [self.matrix(inner), ("%axis0", "tensor<1xi64>")],
                MATRIX,
                "{keep_dims = true}",
            )
            for _ in joins
        ]
        stop = r.choice(inner.flags) if r.random() < 0.4 else None
        body, self.lines = self.lines, outer

        finals, ends = [self.name() for _ in carried], [self.name() for _ in lasts]
        outs = [self.name() for _ in joins]
        if not finals + ends + outs:
            finals, carried, after, arguments = self.counter(scope, inner, body)
            operands = [o for o in operands if o[0] in (trip, cond)] + carried + [s[0] for s in sliced]
        joins_text = ", ".join(f"#ov.slice<axis = {a}{BACKWARDS if b else ''}>" for a, b in joins)
        attributes = ", ".join(
            filter(None, [f"slices = [{cuts}]" if cuts else "", f"concats = [{joins_text}]" if joins else ""])
        )
        types = [t for _, t in operands]
        groups = [
            f"trip({trip})" if trip else "",
            f"while({cond})" if cond else "",
            f"carried({', '.join(n for n, _ in carried)})" if carried else "",
            f"sliced({', '.join(s[0][0] for s in sliced)})" if sliced else "",
            f"{{{attributes}}}" if attributes else "",
        ]
        kinds = [NUMBER if t == NUMBER else MATRIX for _, t in carried]
        results = kinds + [MATRIX] * (len(ends) + len(outs))
        self.emit(f"{', '.join(finals + ends + outs)} = ov.loop {' '.join(groups)}")
        self.emit(f": ({', '.join(types)}) -> ({', '.join(results)}) {{")
        region = [
            f"{i}: {NUMBER}",
            *(f"{n}: {k}" for n, k in zip(arguments, kinds)),
            *(f"{n}: {MATRIX}" for n in parts),
        ]
        self.emit(f"^bb0({', '.join(region)}):")
        self.lines += body
        last = [f"while({stop})" if stop else ""]
        for word, values in (("carried", after), ("last", lasts), ("concat", [(n, MATRIX) for n in joined])):
            if values:
                last.append(f"{word}({', '.join(n for n, _ in values)} : {', '.join(t for _, t in values)})")
        self.emit(f"ov.next {' '.join(last)}")
        self.emit("}")
        for name, kind in zip(finals, kinds):
            if kind == NUMBER:
                scope.numbers.append(name)
            else:
                scope.matrices.append((name, MATRIX))
        scope.matrices += [(n, MATRIX) for n in ends]
        for name, (axis, _) in zip(outs, joins):
            if axis == 0:
                scope.matrices.append((name, MATRIX))
            else:
                wide = self.make(
                    "ov.reduce_sum",
                    [(name, MATRIX), ("%axis1", "tensor<1xi64>")],
                    MATRIX,
                    "{keep_dims = true}",
                )
                scope.matrices.append((self.make("ov.add", [(wide, MATRIX), ("%row", ROW)], MATRIX), MATRIX))

    def counter(self, scope: Scope, inner: Scope, body: list[str]):
        """A loop needs a result: one carried number."""
        argument, new = self.name(), self.name()
        start = self.number(scope)
        other = self.random.choice(scope.numbers)
        body.append(f"{new} = ov.add {argument}, {other} : ({NUMBER}, {NUMBER}) -> {NUMBER}")
        return [self.name()], [start], [(new, NUMBER)], [argument]


def random_program(seed: int) -> str:
    """The text of a program with inputs `a` (2x3), `d` (?x3, at most 4 rows), `n` and `c`."""
    p = Program(Random(seed))
    scope = Scope(
        [("%a", "tensor<2x3xi64>"), ("%d", "tensor<?x3xi64>"), ("%row", ROW)],
        ["%n", "%trip0", "%trip1"],
        ["%c"],
    )
    p.emit("%axis0 = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>")
    p.emit("%axis1 = ov.constant dense<1> : tensor<1xi64> : tensor<1xi64>")
    p.emit("%row = ov.constant dense<[[1, -2, 3]]> : tensor<1x3xi64> : tensor<1x3xi64>")
    p.emit(f"%trip0 = ov.constant dense<{p.random.choice([0, 1, 2, 3])}> : tensor<i64> : tensor<i64>")
    p.emit("%three = ov.constant dense<3> : tensor<i64> : tensor<i64>")
    p.emit("%zero = ov.constant dense<0> : tensor<i64> : tensor<i64>")
    p.emit("%low = ov.minimum %n, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>")
    p.emit("%trip1 = ov.maximum %low, %zero : (tensor<i64>, tensor<i64>) -> tensor<i64>")
    p.steps(scope, 2, 6, True)
    results = [p.random.choice(scope.matrices[-3:]) for _ in range(2)] + [(scope.numbers[-1], NUMBER)]
    p.emit(f"func.return {', '.join(n for n, _ in results)} : {', '.join(t for _, t in results)}")
    body = "\n  ".join(p.lines)
    return f"""func.func @main(%a: tensor<2x3xi64> {{loomir.name = "a"}},
                %d: tensor<?x3xi64> {{loomir.name = "d", loomir.bounds = [4, 3]}},
                %n: tensor<i64> {{loomir.name = "n"}}, %c: tensor<i1> {{loomir.name = "c"}})
    -> ({", ".join(t for _, t in results)}) {{
  {body}
}}"""
