"""Random programs in LOOPS form that use many buffers: for testing what moves or merges memory.

Nested loops and branches, buffers that rotate through loops or are chosen by branches, whole and partial
writes through views, accumulation, copies. Nothing undefined is ever read, so that every legal placement
gives the same outputs, exactly (i32).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

SIZES = (2, 4, 6, 12)


class RandomProgram:
    """`text` is the module; it takes `c0`, `c1`, `c2` (i64, 0 or 1) and `x` (i32[12]) and gives `y` (i32[12])."""

    def __init__(self, seed: int, statements: int = 14) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        # name → size; and of these, what is certainly initialised here
        self.buffers: dict[str, int] = {}
        self.ready: set[str] = set()
        self.allocs: list[str] = []
        for _ in range(self.random.randint(4, 10)):
            size = self.random.choice(SIZES)
            name = f"%b{len(self.buffers)}"
            self.buffers[name] = size
            self.allocs.append(f"  {name} = memref.alloc() : memref<{size}xi32>")
        self.statements(statements, 0)
        # Only a few are read in the end, or everything would live to the end.
        for name in self.random.sample(sorted(self.ready), min(2, len(self.ready))):
            self.accumulate_into_output(name)
        head = ", ".join(
            [f'%q{i}: i64 {{loomir.name = "c{i}"}}' for i in range(3)]
            + [
                '%x: memref<12xi32> {loomir.name = "x", loomir.role = "input"}',
                '%y: memref<12xi32> {loomir.name = "y", loomir.role = "output"}',
            ]
        )
        constants = [f"  %k{i} = arith.constant {i} : index" for i in range(13)]
        constants += ["  %one = arith.constant 1 : i32", "  %z64 = arith.constant 0 : i64"]
        constants += [f"  %c{i} = arith.cmpi ne, %q{i}, %z64 : i64" for i in range(3)]
        start = ['  "memref.copy"(%x, %y) : (memref<12xi32>, memref<12xi32>) -> ()']
        body = [*constants, *self.allocs, *start, *self.lines, "  func.return"]
        self.text = f"builtin.module {{ func.func @main({head}) {{\n" + "\n".join(body) + "\n} }"

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    def statements(self, count: int, nesting: int) -> None:
        for _ in range(count):
            kinds = [
                "fill",
                "fill",
                "map",
                "map",
                "map",
                "halves",
                "reduce",
                "copy",
                "show",
                "show",
                "chain",
                "chain",
            ]
            if nesting < 3:
                kinds += ["loop", "branch", "rotate", "choose", "fresh_in_loop", "kept_in_loop"]
            getattr(self, self.random.choice(kinds))(nesting)

    def any(self, size: int | None = None) -> str:
        names = [n for n, s in self.buffers.items() if size is None or s == size]
        return self.random.choice(names)

    def any_ready(self, size: int | None = None) -> str | None:
        names = sorted(n for n in self.ready if size is None or self.buffers[n] == size)
        return self.random.choice(names) if names else None

    def type(self, name: str) -> str:
        return f"memref<{self.buffers[name]}xi32>"

    def fill(self, nesting: int, target: str | None = None) -> None:
        target = target or self.any()
        value = self.fresh()
        self.emit(f"{value} = arith.constant {self.random.randint(-9, 9)} : i32")
        i = self.fresh()
        self.emit(f"scf.for {i} = %k0 to %k{self.buffers[target]} step %k1 {{")
        self.emit(f"  memref.store {value}, {target}[{i}] : {self.type(target)}")
        self.emit("}")
        self.ready.add(target)

    def map(self, nesting: int) -> None:
        target = self.any()
        source = self.any_ready(self.buffers[target])
        other = self.any_ready()
        if source is None or other is None:
            return self.fill(nesting, target)
        i, a, b, c = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        self.emit(f"scf.for {i} = %k0 to %k{self.buffers[target]} step %k1 {{")
        self.emit(f"  {a} = memref.load {source}[{i}] : {self.type(source)}")
        self.emit(f"  {b} = memref.load {other}[%k1] : {self.type(other)}")
        self.emit(f"  {c} = arith.addi {a}, {b} : i32")
        self.emit(f"  memref.store {c}, {target}[{i}] : {self.type(target)}")
        self.emit("}")
        self.ready.add(target)

    def halves(self, nesting: int) -> None:
        """Two writes through views, one half each."""
        target = self.any()
        half = self.buffers[target] // 2
        for part in self.random.sample((0, 1), 2):
            view, i = self.fresh(), self.fresh()
            layout = f"strided<[1], offset: {part * half}>" if part else "strided<[1]>"
            type = f"memref<{half}xi32, {layout}>"
            self.emit(
                f"{view} = memref.subview {target}[{part * half}] [{half}] [1] : {self.type(target)} to {type}"
            )
            source = self.any_ready()
            value = self.fresh()
            if source is None:
                self.emit(f"{value} = arith.constant {part + 3} : i32")
            else:
                self.emit(f"{value} = memref.load {source}[%k0] : {self.type(source)}")
            self.emit(f"scf.for {i} = %k0 to %k{half} step %k1 {{")
            self.emit(f"  memref.store {value}, {view}[{i}] : {type}")
            self.emit("}")
        self.ready.add(target)

    def reduce(self, nesting: int) -> None:
        source, target = self.any_ready(), self.any_ready()
        if source is None or target is None:
            return self.fill(nesting)
        i, a, s, t = (self.fresh() for _ in range(4))
        self.emit(
            f"{t} = scf.for {i} = %k0 to %k{self.buffers[source]} step %k1 iter_args({s} = %one) -> (i32) {{"
        )
        self.emit(f"  {a} = memref.load {source}[{i}] : {self.type(source)}")
        u = self.fresh()
        self.emit(f"  {u} = arith.addi {a}, {s} : i32")
        self.emit(f"  scf.yield {u} : i32")
        self.emit("}")
        self.emit(f"memref.store {t}, {target}[%k0] : {self.type(target)}")

    def copy(self, nesting: int) -> None:
        source = self.any_ready()
        if source is None:
            return self.fill(nesting)
        targets = [
            n for n, s in self.buffers.items() if s == self.buffers[source] and n in self.allocs_only()
        ]
        targets = [n for n in targets if n != source]
        if targets and source in self.allocs_only():
            target = self.random.choice(targets)
            self.emit(f'"memref.copy"({source}, {target}) : ({self.type(source)}, {self.type(target)}) -> ()')
            self.ready.add(target)

    def allocs_only(self) -> set[str]:
        return {n for n in self.buffers if n.startswith("%b")}

    def show(self, nesting: int) -> None:
        if name := self.any_ready():
            self.accumulate_into_output(name)

    def accumulate_into_output(self, name: str) -> None:
        i, a, b, c = (self.fresh() for _ in range(4))
        self.emit(f"scf.for {i} = %k0 to %k{self.buffers[name]} step %k1 {{")
        self.emit(f"  {a} = memref.load {name}[{i}] : {self.type(name)}")
        self.emit(f"  {b} = memref.load %y[{i}] : memref<12xi32>")
        self.emit(f"  {c} = arith.addi {a}, {b} : i32")
        self.emit(f"  memref.store {c}, %y[{i}] : memref<12xi32>")
        self.emit("}")

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names of an inner region are gone behind it, and what it initialised is not certain."""
        buffers, ready = dict(self.buffers), set(self.ready)
        with self.indented():
            yield
        self.buffers, self.ready = buffers, ready

    def loop(self, nesting: int) -> None:
        self.emit(f"scf.for {self.fresh()} = %k0 to %k{self.random.randint(0, 3)} step %k1 {{")
        with self.scope():
            self.statements(self.random.randint(1, 4), nesting + 1)
            if (name := self.any_ready()) and self.random.random() < 0.5:
                self.accumulate_into_output(name)
        self.emit("}")

    def fresh_in_loop(self, nesting: int) -> None:
        """A loop that fills a buffer first in each iteration: the buffer is free in between."""
        names = self.random.sample(sorted(self.buffers), min(2, len(self.buffers)))
        self.emit(f"scf.for {self.fresh()} = %k0 to %k2 step %k1 {{")
        with self.scope():
            for name in names:
                self.fill(nesting, name)
                self.statements(1, nesting + 1)
                self.accumulate_into_output(name)
        self.emit("}")

    def kept_in_loop(self, nesting: int) -> None:
        """A loop that reads a buffer from outside first, and then makes one of its own: these may not share."""
        kept = self.any_ready()
        others = [name for name in self.buffers if name not in self.ready]
        if kept is None or not others:
            return
        self.emit(f"scf.for {self.fresh()} = %k0 to %k3 step %k1 {{")
        with self.scope():
            self.accumulate_into_output(kept)
            name = self.random.choice(others)
            self.fill(nesting, name)
            self.accumulate_into_output(name)
        self.emit("}")
        if self.random.random() < 0.7:
            # Not to be read again: the loop is where it ends.
            self.ready.discard(kept)

    def chain(self, nesting: int) -> None:
        """Buffers that are made one from the other and not used again: elementwise, in reverse, or twice over."""
        size = self.random.choice(sorted(set(self.buffers.values())))
        names = [n for n, s in self.buffers.items() if s == size and n not in self.ready]
        if len(names) < 2:
            return
        names = self.random.sample(names, min(len(names), 4))
        self.fill(nesting, names[0])
        for source, target in pairwise(names):
            i, a, b, j = (self.fresh() for _ in range(4))
            way = self.random.choice(["same", "same", "reverse", "again", "self"])
            if way == "again":
                self.emit(f"scf.for {self.fresh()} = %k0 to %k2 step %k1 {{")
            self.emit(f"scf.for {i} = %k0 to %k{size} step %k1 {{")
            if way == "reverse":
                self.emit(f"  {j} = arith.subi %k{size - 1}, {i} : index")
            self.emit(f"  {a} = memref.load {source}[{j if way == 'reverse' else i}] : {self.type(source)}")
            c = self.fresh()
            self.emit(f"  {c} = arith.index_cast {i} : index to i32")
            self.emit(f"  {b} = arith.addi {a}, {c} : i32")
            self.emit(f"  memref.store {b}, {target}[{i}] : {self.type(target)}")
            if way == "self":
                d = self.fresh()
                self.emit(f"  {d} = memref.load {source}[%k0] : {self.type(source)}")
                self.emit(f"  memref.store {d}, {target}[{i}] : {self.type(target)}")
            self.emit("}")
            if way == "again":
                self.emit("}")
        self.accumulate_into_output(names[-1])
        self.ready -= set(names)

    def branch(self, nesting: int) -> None:
        self.emit(f"scf.if %c{self.random.randint(0, 2)} {{")
        with self.scope():
            self.statements(self.random.randint(1, 3), nesting + 1)
            first = set(self.ready)
        self.emit("} else {")
        with self.scope():
            self.statements(self.random.randint(1, 3), nesting + 1)
            second = set(self.ready)
        self.emit("}")
        self.ready |= first & second & set(self.buffers)

    def rotate(self, nesting: int) -> None:
        """Buffers of one size go round through a loop."""
        size = self.random.choice(sorted(set(self.buffers.values())))
        names = [n for n, s in self.buffers.items() if s == size]
        group = self.random.sample(names, min(len(names), self.random.randint(1, 3)))
        for name in group:
            if name not in self.ready:
                self.fill(nesting, name)
        arguments, results = [self.fresh() for _ in group], [self.fresh() for _ in group]
        pairs = ", ".join(f"{a} = {g}" for a, g in zip(arguments, group))
        types = ", ".join(f"memref<{size}xi32>" for _ in group)
        self.emit(
            f"{', '.join(results)} = scf.for {self.fresh()} = %k0 to %k{self.random.randint(0, 4)} step %k1 "
            f"iter_args({pairs}) -> ({types}) {{"
        )
        with self.scope():
            for argument in arguments:
                self.buffers[argument] = size
                self.ready.add(argument)
            self.statements(self.random.randint(1, 4), nesting + 1)
            order = self.random.sample(arguments, len(arguments))
            self.emit(f"scf.yield {', '.join(order)} : {types}")
        self.emit("}")
        for result in results:
            self.buffers[result] = size
            self.ready.add(result)

    def choose(self, nesting: int) -> None:
        """Emit a branch or a select that determines a name's buffer."""
        size = self.random.choice(sorted(set(self.buffers.values())))
        names = [n for n, s in self.buffers.items() if s == size]
        result = self.fresh()
        condition = f"%c{self.random.randint(0, 2)}"
        ready = sorted(n for n in names if n in self.ready)
        if len(ready) >= 2 and self.random.random() < 0.4:
            a, b = self.random.sample(ready, 2)
            self.emit(f"{result} = arith.select {condition}, {a}, {b} : memref<{size}xi32>")
        else:
            self.emit(f"{result} = scf.if {condition} -> (memref<{size}xi32>) {{")
            for arm in range(2):
                with self.scope():
                    name = self.random.choice(names)
                    self.fill(nesting, name)
                    self.statements(1, nesting + 1)
                    self.emit(f"scf.yield {name} : memref<{size}xi32>")
                self.emit("} else {" if arm == 0 else "}")
        self.buffers[result] = size
        self.ready.add(result)
