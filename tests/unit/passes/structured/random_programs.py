"""Random STRUCTURED programs: nested loops and branches over small integer tensors, made to be hard to bufferize.

Carried values are swapped, rotated, yielded twice, captured from outside and replaced by slices; destinations are reused,
with and without being read; scan outputs, concatenations, paddings and dynamic tensors in flat capacity occur. No program
reads undefined contents, so its results are determined.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.unit.passes.structured.random_operations import (
    CAPACITY,
    SHAPES,
    STEPS,
    Operations,
    Scope,
    Shape,
    type_of,
)

__all__ = ["CAPACITY", "SHAPES", "STEPS", "Program"]


@dataclass
class Program(Operations):
    """One random program, as text: `size` operations at the top level."""

    # Regions.

    def carried(self, scope: Scope) -> tuple[list[Shape], int]:
        shapes = [self.shape() for _ in range(self.random.randint(0, 4))]
        if shapes and self.random.random() < 0.6:
            shapes = [self.random.choice(shapes[:2]) for _ in shapes]  # exchanging needs equal shapes
        return shapes, self.random.randint(0, 2) // 2

    def enter(self, scope: Scope, shapes: list[Shape], dynamic: int) -> tuple[Scope, list[str]]:
        inner = scope.inner()
        args = []
        for shape in shapes:
            args.append(self.name())
            inner.tensors[shape].append(args[-1])
        for _ in range(dynamic):
            args += [self.name(), self.name()]
            inner.dynamic.append((args[-2], args[-1]))
        return inner, args

    def types(self, shapes: list[Shape], dynamic: int) -> list[str]:
        return [type_of(s) for s in shapes] + [f"tensor<{CAPACITY}xi64>", "index"] * dynamic

    def choose(self, scope: Scope, shapes: list[Shape], dynamic: int) -> list[str]:
        values = [self.tensor(scope, shape) for shape in shapes]
        for _ in range(dynamic):
            values += self.recent(scope.dynamic)  # type: ignore[arg-type]
        return values

    def leave(self, scope: Scope, results: list[str], shapes: list[Shape]) -> None:
        for shape, result in zip(shapes, results):
            self.add(scope, shape, result)
        rest = results[len(shapes) :]
        scope.dynamic += zip(rest[::2], rest[1::2])

    def op_for(self, scope: Scope) -> None:
        shapes, dynamic = self.carried(scope)
        initial = self.choose(scope, shapes, dynamic)
        scan = self.random.random() < 0.4
        lower, step = self.define("arith.constant 0 : index"), self.define("arith.constant 1 : index")
        upper = (
            self.recent(scope.indices)
            if self.random.random() < 0.6
            else self.define(f"arith.constant {self.random.randint(0, STEPS)} : index")
        )
        types = self.types(shapes, dynamic)
        inner, args = self.enter(scope, shapes, dynamic)
        if scan:
            axis = self.random.randint(0, 1)
            shape = (STEPS, 4) if axis == 0 else (4, STEPS)
            base = self.define(f"tensor.empty() : {type_of(shape)}")
            if self.random.random() < 0.7:
                base = self.define(
                    f"linalg.fill ins({self.scalar()} : i64) outs({base} : {type_of(shape)}) -> {type_of(shape)}"
                )
            else:
                upper = self.define(f"arith.constant {STEPS} : index")
            types.append(type_of(shape))
            args.append(self.name())
            initial.append(base)
        name, i = self.name(), self.name()
        if types:
            pairs = ", ".join(f"{a} = {b}" for a, b in zip(args, initial))
            self.emit(
                f"{name}:{len(types)} = scf.for {i} = {lower} to {upper} step {step} iter_args({pairs}) -> ({', '.join(types)}) {{"
            )
        else:
            self.emit(f"scf.for {i} = {lower} to {upper} step {step} {{")
        inner.indices.append(i)
        self.body(inner)
        values = self.choose(inner, shapes, dynamic)
        if scan:
            value = self.tensor(inner, (4,))
            sizes, at = ("[1, 4]", f"[{i}, 0]") if axis == 0 else ("[4, 1]", f"[0, {i}]")
            part = "tensor<1x4xi64>" if axis == 0 else "tensor<4x1xi64>"
            e = self.define(
                f"tensor.expand_shape {value} [[0, 1]] output_shape {sizes} : tensor<4xi64> into {part}"
            )
            values.append(
                self.define(
                    f"tensor.insert_slice {e} into {args[-1]}{at} {sizes} [1, 1] : {part} into {types[-1]}"
                )
            )
        if types:
            self.depth += 1
            self.emit(f"scf.yield {', '.join(values)} : {', '.join(types)}")
            self.depth -= 1
        self.emit("}")
        results = [f"{name}#{k}" for k in range(len(types))]
        if scan:
            scanned = results.pop()
            part = self.define(
                f"tensor.extract_slice {scanned}[0, 0] [{'1, 4' if axis == 0 else '4, 1'}] [1, 1] : {types[-1]} to {part}"
            )
            self.add(
                scope,
                (4,),
                self.define(
                    f"tensor.collapse_shape {part} [[0, 1]] : {'tensor<1x4xi64>' if axis == 0 else 'tensor<4x1xi64>'} into tensor<4xi64>"
                ),
            )
        self.leave(scope, results, shapes)

    def op_while(self, scope: Scope) -> None:
        shapes, dynamic = self.carried(scope)
        initial = [self.define("arith.constant 0 : index"), *self.choose(scope, shapes, dynamic)]
        types = ["index", *self.types(shapes, dynamic)]
        limit = self.recent(scope.indices)
        one = self.define("arith.constant 1 : index")
        _, before = self.enter(scope, shapes, dynamic)
        inner, after = self.enter(scope, shapes, dynamic)
        i, j, name = self.name(), self.name(), self.name()
        before, after = [i, *before], [j, *after]
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(before, initial))
        self.emit(
            f"{name}:{len(types)} = scf.while ({pairs}) : ({', '.join(types)}) -> ({', '.join(types)}) {{"
        )
        self.depth += 1
        go = self.define(f"arith.cmpi slt, {i}, {limit} : index")
        self.emit(f"scf.condition({go}) {', '.join(before)} : {', '.join(types)}")
        self.depth -= 1
        self.emit("} do {")
        self.emit(f"^bb0({', '.join(f'{a}: {t}' for a, t in zip(after, types))}):")
        inner.indices.append(j)
        self.body(inner)
        values = self.choose(inner, shapes, dynamic)
        self.depth += 1
        following = self.define(f"arith.addi {j}, {one} : index")
        self.emit(f"scf.yield {', '.join([following, *values])} : {', '.join(types)}")
        self.depth -= 1
        self.emit("}")
        self.leave(scope, [f"{name}#{k}" for k in range(1, len(types))], shapes)

    def op_if(self, scope: Scope) -> None:
        shapes, dynamic = self.carried(scope)
        condition = self.recent(scope.conditions)
        if self.random.random() < 0.6:
            condition = self.define(
                f"arith.cmpi slt, {self.recent(scope.indices)}, {self.recent(scope.indices)} : index"
            )
        types = self.types(shapes, dynamic)
        name = self.name()
        self.emit(
            f"{name}:{len(types)} = scf.if {condition} -> ({', '.join(types)}) {{"
            if types
            else f"scf.if {condition} {{"
        )
        for arm in range(2):
            inner = scope.inner()
            self.body(inner)
            if types:
                self.depth += 1
                self.emit(f"scf.yield {', '.join(self.choose(inner, shapes, dynamic))} : {', '.join(types)}")
                self.depth -= 1
            self.emit("} else {" if arm == 0 else "}")
        self.leave(scope, [f"{name}#{k}" for k in range(len(types))], shapes)

    def body(self, scope: Scope) -> None:
        self.depth += 1
        self.block(scope, self.random.randint(0, 4))
        self.depth -= 1

    def block(self, scope: Scope, count: int) -> None:
        plain = ["generic"] * 6 + [
            "reduce",
            "fill",
            "insert",
            "slice",
            "reshape",
            "reshape",
            "block",
            "concat",
            "pad",
            "dynamic",
        ]
        for _ in range(count):
            if self.depth < 5 and self.budget > 0 and self.random.random() < 0.35:
                self.budget -= 1
                kind = self.random.choice(["for", "for", "while", "if", "if"])
            else:
                kind = self.random.choice(plain)
            getattr(self, f"op_{kind}")(scope)

    def text(self) -> str:
        """The program: `main(x0 …, n, c)` with a tensor per shape, a dynamic tensor, an index below STEPS, a condition."""
        r = self.random
        args, tensors = [], {shape: [] for shape in SHAPES}
        for k, shape in enumerate([*SHAPES, *SHAPES[:2]]):
            tensors[shape].append(f"%x{k}")
            args.append(f"%x{k}: {type_of(shape)}")
        args += [f"%d: tensor<{CAPACITY}xi64>", "%n: index", "%c: i1"]
        scope = Scope(tensors, [("%d", "%n")], ["%n"], ["%c"])
        scope.indices.append(self.define("arith.constant 1 : index"))
        for shape in SHAPES:
            self.add(
                scope,
                shape,
                self.define(
                    f"linalg.fill ins({self.scalar()} : i64) outs({self.empty(shape)} : {type_of(shape)}) -> {type_of(shape)}"
                ),
            )
        self.block(scope, self.size)
        shapes = [self.shape() for _ in range(r.randint(1, 4))]
        values = self.choose(scope, shapes, 1)
        types = self.types(shapes, 1)
        self.emit(f"func.return {', '.join(values)} : {', '.join(types)}")
        head = f"func.func @main({', '.join(args)}) -> ({', '.join(types)}) {{"
        return "\n".join([head, *self.lines, "}"])
