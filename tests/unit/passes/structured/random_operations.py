"""The operations that random STRUCTURED programs consist of, but for loops and branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

Shape = tuple[int, ...]
SHAPES: list[Shape] = [(4,), (2, 2), (6,), (3, 2), (2, 3)]
CAPACITY = 8
STEPS = 3


def type_of(shape: Shape) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xi64>"


def map_of(dims: int, results: list[str] | None = None) -> str:
    names = [f"d{i}" for i in range(dims)]
    results = names if results is None else results
    return f"affine_map<({', '.join(names)}) -> ({', '.join(results)})>"


@dataclass
class Scope:
    """The values visible at a point: tensors by shape, dynamic tensors (flat, extent), indices below `STEPS`, conditions."""

    tensors: dict[Shape, list[str]]
    dynamic: list[tuple[str, str]]
    indices: list[str]
    conditions: list[str]

    def inner(self) -> Scope:
        tensors = {shape: list(names) for shape, names in self.tensors.items()}
        return Scope(tensors, list(self.dynamic), list(self.indices), list(self.conditions))


@dataclass
class Operations:
    """The lines of a program so far, and a method `op_…` for each kind of operation on tensors."""

    seed: int
    size: int = 8
    pads: bool = True
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    counter: int = 0
    budget: int = 40

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def name(self) -> str:
        self.counter += 1
        return f"%v{self.counter}"

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def define(self, line: str) -> str:
        name = self.name()
        self.emit(f"{name} = {line}")
        return name

    def recent(self, names: list[str]) -> str:
        """One of `names`, preferably a recent one."""
        return names[-1 - min(int(self.random.expovariate(0.6)), len(names) - 1)]

    def tensor(self, scope: Scope, shape: Shape) -> str:
        return self.recent(scope.tensors[shape])

    def shape(self) -> Shape:
        return self.random.choice(SHAPES)

    def add(self, scope: Scope, shape: Shape, name: str) -> None:
        scope.tensors[shape].append(name)

    # Operations.

    def op_generic(self, scope: Scope) -> None:
        r = self.random
        shape = self.shape()
        operands = [(self.tensor(scope, shape), map_of(len(shape))) for _ in range(r.randint(0, 2))]
        if shape[0] == shape[-1] and len(shape) == 2 and r.random() < 0.4:
            operands.append((self.tensor(scope, shape), map_of(2, ["d1", "d0"])))
        if len(shape) == 2 and r.random() < 0.2:
            flat = self.tensor(scope, (6,))
            operands.append((flat, map_of(2, ["d0 * 2 + d1"])))
        outs = (
            self.tensor(scope, shape)
            if r.random() < 0.5
            else self.define(f"tensor.empty() : {type_of(shape)}")
        )
        in_scope = outs in scope.tensors[shape]
        if in_scope and r.random() < 0.3:
            operands.append((outs, map_of(len(shape))))
        two = self.define(f"tensor.empty() : {type_of(shape)}") if r.random() < 0.15 else None
        first, second = self.generic(scope, shape, operands, outs, in_scope and r.random() < 0.6, two)
        self.add(scope, shape, first)
        if second:
            self.add(scope, shape, second)

    def generic(
        self,
        scope: Scope,
        shape: Shape,
        operands: list[tuple[str, str]],
        outs: str,
        read: bool,
        two: str | None = None,
    ) -> tuple[str, str | None]:
        """An elementwise generic over `shape`; with `two`, of two results."""
        rank = len(shape)
        types = []
        for operand, _ in operands:
            types.append(next(type_of(s) for s, names in scope.tensors.items() if operand in names))
        destinations = [outs, *([two] if two else [])]
        maps = [m for _, m in operands] + [map_of(rank)] * len(destinations)
        kinds = ", ".join(['"parallel"'] * rank)
        ins = ", ".join(name for name, _ in operands)
        name = self.name()
        left = f"{name}:2" if two else name
        head = f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}"
        ins_text = f" ins({ins} : {', '.join(types)})" if operands else ""
        outs_text = f" outs({', '.join(destinations)} : {', '.join([type_of(shape)] * len(destinations))})"
        self.emit(f"{left} = {head}{ins_text}{outs_text} {{")
        args = [self.name() for _ in (*operands, *destinations)]
        self.emit(f"^bb0({', '.join(f'{arg}: i64' for arg in args)}):")
        self.depth += 1
        total = self.define(f"arith.constant {self.random.randint(1, 99)} : i64")
        for arg in args[: len(operands)]:
            three = self.define("arith.constant 3 : i64")
            total = self.define(
                f"arith.addi {self.define(f'arith.muli {total}, {three} : i64')}, {arg} : i64"
            )
        if read:
            total = self.define(f"arith.addi {total}, {args[len(operands)]} : i64")
        if self.random.random() < 0.15:
            gathered = self.tensor(scope, (6,) if shape[0] <= 6 else (4,))
            at = self.define("linalg.index 0 : index")
            element = self.define(f"tensor.extract {gathered}[{at}] : tensor<6xi64>")
            total = self.define(f"arith.addi {total}, {element} : i64")
        again = self.define(f"arith.addi {total}, {total} : i64")
        values = [total, again][: len(destinations)]
        self.emit(f"linalg.yield {', '.join(values)} : {', '.join(['i64'] * len(values))}")
        self.depth -= 1
        # xDSL parses several result types only without the parentheses that it prints around them.
        self.emit(f"}} -> {', '.join([type_of(shape)] * len(destinations))}")
        return (f"{name}#0", f"{name}#1") if two else (name, None)

    def op_reduce(self, scope: Scope) -> None:
        source = self.tensor(scope, (2, 2)), self.tensor(scope, (2, 2))
        out = self.define(
            f"linalg.fill ins({self.scalar()} : i64) outs({self.empty((2, 2))} : {type_of((2, 2))}) -> {type_of((2, 2))}"
        )
        maps = [map_of(3, ["d0", "d2"]), map_of(3, ["d2", "d1"]), map_of(3, ["d0", "d1"])]
        name = self.name()
        a, b, o = self.name(), self.name(), self.name()
        self.emit(
            f"{name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f'iterator_types = ["parallel", "parallel", "reduction"]}} ins({", ".join(source)} : {type_of((2, 2))}, '
            f"{type_of((2, 2))}) outs({out} : {type_of((2, 2))}) {{"
        )
        self.emit(f"^bb0({a}: i64, {b}: i64, {o}: i64):")
        value = self.define(f"arith.addi {self.define(f'arith.muli {a}, {b} : i64')}, {o} : i64")
        self.emit(f"linalg.yield {value} : i64")
        self.emit(f"}} -> {type_of((2, 2))}")
        self.add(scope, (2, 2), name)

    def empty(self, shape: Shape) -> str:
        return self.define(f"tensor.empty() : {type_of(shape)}")

    def scalar(self) -> str:
        return self.define(f"arith.constant {self.random.randint(1, 99)} : i64")

    def op_fill(self, scope: Scope) -> None:
        shape = self.shape()
        outs = self.tensor(scope, shape) if self.random.random() < 0.3 else self.empty(shape)
        type = type_of(shape)
        self.add(
            scope,
            shape,
            self.define(f"linalg.fill ins({self.scalar()} : i64) outs({outs} : {type}) -> {type}"),
        )

    def op_insert(self, scope: Scope) -> None:
        source = self.tensor(scope, (4,))
        at, at2 = self.recent(scope.indices), self.recent(scope.indices)
        element = self.define(f"tensor.extract {source}[{at}] : tensor<4xi64>")
        target = self.tensor(scope, (4,))
        self.add(scope, (4,), self.define(f"tensor.insert {element} into {target}[{at2}] : tensor<4xi64>"))

    def op_slice(self, scope: Scope) -> None:
        r = self.random
        whole = self.tensor(scope, (6,))
        offset = self.recent(scope.indices) if r.random() < 0.5 else str(r.randint(0, 2))
        step = r.choice([1, 1, 1, 2]) if offset == "0" else 1
        size = 2 if step == 2 else 4
        part = self.define(
            f"tensor.extract_slice {whole}[{offset}] [{size}] [{step}] : tensor<6xi64> to tensor<{size}xi64>"
        )
        if size == 4:
            self.add(scope, (4,), part)
            if r.random() < 0.6:
                read = r.random() < 0.5
                scope.tensors[(4,)].append(part)
                new, _ = self.generic(scope, (4,), [(self.tensor(scope, (4,)), map_of(1))], part, read)
                self.add(scope, (4,), new)
                target = whole if r.random() < 0.7 else self.tensor(scope, (6,))
                self.insert_slice(scope, new, target, offset)
        if r.random() < 0.5:
            self.insert_slice(
                scope, self.tensor(scope, (4,)), self.tensor(scope, (6,)), offset if size == 4 else "1"
            )

    def insert_slice(self, scope: Scope, source: str, target: str, offset: str) -> None:
        line = (
            f"tensor.insert_slice {source} into {target}[{offset}] [4] [1] : tensor<4xi64> into tensor<6xi64>"
        )
        self.add(scope, (6,), self.define(line))

    def op_reshape(self, scope: Scope) -> None:
        flat, expanded = self.random.choice([((4,), (2, 2)), ((6,), (3, 2)), ((6,), (2, 3))])
        if self.random.random() < 0.5:
            source = self.tensor(scope, flat)
            line = f"tensor.expand_shape {source} [[0, 1]] output_shape {list(expanded)} : {type_of(flat)} into {type_of(expanded)}"
            self.add(scope, expanded, self.define(line))
        else:
            source = self.tensor(scope, expanded)
            line = f"tensor.collapse_shape {source} [[0, 1]] : {type_of(expanded)} into {type_of(flat)}"
            self.add(scope, flat, self.define(line))

    def op_block(self, scope: Scope) -> None:
        """A block of a matrix, which is not contiguous, reshaped, or written into."""
        whole = self.tensor(scope, (3, 2))
        part = self.define(
            f"tensor.extract_slice {whole}[0, 1] [3, 1] [1, 1] : tensor<3x2xi64> to tensor<3x1xi64>"
        )
        flat = self.define(f"tensor.collapse_shape {part} [[0, 1]] : tensor<3x1xi64> into tensor<3xi64>")
        rows = self.define(
            f"tensor.extract_slice {whole}[{self.random.randint(0, 1)}, 0] [2, 2] [1, 1] : tensor<3x2xi64> to tensor<2x2xi64>"
        )
        self.add(scope, (2, 2), rows)
        left = self.define(
            "tensor.extract_slice "
            + self.tensor(scope, (2, 3))
            + "[0, 1] [2, 2] [1, 1] : tensor<2x3xi64> to tensor<2x2xi64>"
        )
        self.add(scope, (2, 2), left)
        self.add(
            scope,
            (4,),
            self.define(f"tensor.collapse_shape {left} [[0, 1]] : tensor<2x2xi64> into tensor<4xi64>"),
        )
        new = self.tensor(scope, (2, 2))
        self.add(
            scope,
            (2, 3),
            self.define(
                f"tensor.insert_slice {new} into {self.tensor(scope, (2, 3))}[0, {self.random.randint(0, 1)}] "
                "[2, 2] [1, 1] : tensor<2x2xi64> into tensor<2x3xi64>"
            ),
        )
        again = self.define(
            f"tensor.expand_shape {flat} [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>"
        )
        self.add(
            scope,
            (3, 2),
            self.define(
                f"tensor.insert_slice {again} into {self.tensor(scope, (3, 2))}[0, 0] [3, 1] [1, 1] : tensor<3x1xi64> into tensor<3x2xi64>"
            ),
        )

    def op_concat(self, scope: Scope) -> None:
        """A concatenation, its operands computed right before."""
        parts = []
        for _ in range(2):
            part, _ = self.generic(
                scope, (4,), [(self.tensor(scope, (4,)), map_of(1))], self.empty((4,)), False
            )
            parts.append(part)
            if self.random.random() < 0.3:
                self.add(scope, (4,), part)
        half = self.define(f"tensor.extract_slice {parts[1]}[1] [2] [1] : tensor<4xi64> to tensor<2xi64>")
        first = self.define(
            f"tensor.insert_slice {parts[0]} into {self.empty((6,))}[0] [4] [1] : tensor<4xi64> into tensor<6xi64>"
        )
        self.add(
            scope,
            (6,),
            self.define(
                f"tensor.insert_slice {half} into {first}[4] [2] [1] : tensor<2xi64> into tensor<6xi64>"
            ),
        )
        if self.random.random() < 0.5:
            a, _ = self.generic(
                scope, (2, 2), [(self.tensor(scope, (2, 2)), map_of(2))], self.empty((2, 2)), False
            )
            b, _ = self.generic(scope, (4,), [(self.tensor(scope, (4,)), map_of(1))], self.empty((4,)), False)
            column = self.define(f"tensor.extract_slice {b}[0] [2] [1] : tensor<4xi64> to tensor<2xi64>")
            column = self.define(
                f"tensor.expand_shape {column} [[0, 1]] output_shape [2, 1] : tensor<2xi64> into tensor<2x1xi64>"
            )
            x = self.define(
                f"tensor.insert_slice {a} into {self.empty((2, 3))}[0, 0] [2, 2] [1, 1] : tensor<2x2xi64> into tensor<2x3xi64>"
            )
            self.add(
                scope,
                (2, 3),
                self.define(
                    f"tensor.insert_slice {column} into {x}[0, 2] [2, 1] [1, 1] : tensor<2x1xi64> into tensor<2x3xi64>"
                ),
            )

    def op_pad(self, scope: Scope) -> None:
        if not self.pads:
            return
        source = self.tensor(scope, (4,))
        value = self.scalar()
        low = self.recent(scope.indices) if self.random.random() < 0.3 else "1"
        if low == "1":
            pad = self.define(f"tensor.pad {source} low[1] high[1] {{")
            type = "tensor<6xi64>"
        else:
            pad = self.define(f"tensor.pad {source} low[{low}] high[2] {{")
            type = "tensor<?xi64>"
        arg = self.name()
        self.emit(f"^bb0({arg}: index):")
        self.emit(f"tensor.yield {value} : i64")
        self.emit(f"}} : tensor<4xi64> to {type}")
        name, a, b = self.name(), self.name(), self.name()
        shape = (4,)
        outs = self.tensor(scope, shape) if self.random.random() < 0.5 else self.empty(shape)
        window = self.define("tensor.empty() : tensor<2xi64>")
        if type == "tensor<6xi64>" and self.random.random() < 0.4:
            self.add(scope, (6,), pad)  # used otherwise too
        fill = self.define(
            f"linalg.fill ins({self.scalar()} : i64) outs({outs} : tensor<4xi64>) -> tensor<4xi64>"
        )
        w = self.name()
        self.emit(
            f"{name} = linalg.generic {{indexing_maps = [{map_of(2, ['d0 + d1'])}, {map_of(2, ['d1'])}, {map_of(2, ['d0'])}], "
            f'iterator_types = ["parallel", "reduction"]}} ins({pad}, {window} : {type}, tensor<2xi64>) outs({fill} : tensor<4xi64>) {{'
        )
        self.emit(f"^bb0({a}: i64, {w}: i64, {b}: i64):")
        total = self.define(f"arith.addi {a}, {b} : i64")
        self.emit(f"linalg.yield {total} : i64")
        self.emit("} -> tensor<4xi64>")
        self.add(scope, (4,), name)

    def op_dynamic(self, scope: Scope) -> None:
        """A dynamic tensor computed from another, in a new buffer or in its own."""
        r = self.random
        flat, extent = self.recent(scope.dynamic)  # type: ignore[type-var]
        two = self.define("arith.constant 2 : index")
        n = self.define(f"arith.muli {extent}, {two} : index")
        own = r.random() < 0.3

        def view(cap: str) -> str:
            part = self.define(
                f"tensor.extract_slice {cap}[0] [{n}] [1] : tensor<{CAPACITY}xi64> to tensor<?xi64>"
            )
            return self.define(
                f"tensor.expand_shape {part} [[0, 1]] output_shape [{extent}, 2] : tensor<?xi64> into tensor<?x2xi64>"
            )

        target = flat if own else self.define(f"tensor.empty() : tensor<{CAPACITY}xi64>")
        x, o = view(flat), view(target)
        name, a, b = self.name(), self.name(), self.name()
        self.emit(
            f"{name} = linalg.generic {{indexing_maps = [{map_of(2)}, {map_of(2)}], iterator_types = "
            f'["parallel", "parallel"]}} ins({x} : tensor<?x2xi64>) outs({o} : tensor<?x2xi64>) {{'
        )
        self.emit(f"^bb0({a}: i64, {b}: i64):")
        total = self.define(f"arith.addi {a}, {self.scalar()} : i64")
        self.emit(f"linalg.yield {total} : i64")
        self.emit("} -> tensor<?x2xi64>")
        part = self.define(f"tensor.collapse_shape {name} [[0, 1]] : tensor<?x2xi64> into tensor<?xi64>")
        into = target if r.random() < 0.8 else self.define(f"tensor.empty() : tensor<{CAPACITY}xi64>")
        result = self.define(
            f"tensor.insert_slice {part} into {into}[0] [{n}] [1] : tensor<?xi64> into tensor<{CAPACITY}xi64>"
        )
        scope.dynamic.append((result, extent))
        if r.random() < 0.3:
            # Append it to a scan output of dynamic slices.
            big = self.define("tensor.empty() : tensor<24xi64>")
            big = self.define(
                f"linalg.fill ins({self.scalar()} : i64) outs({big} : tensor<24xi64>) -> tensor<24xi64>"
            )
            at = self.define(f"arith.muli {self.recent(scope.indices)}, {n} : index")
            full = self.define(
                f"tensor.insert_slice {part} into {big}[{at}] [{n}] [1] : tensor<?xi64> into tensor<24xi64>"
            )
            tail = self.define(f"tensor.extract_slice {full}[3] [6] [1] : tensor<24xi64> to tensor<6xi64>")
            self.add(scope, (6,), tail)
