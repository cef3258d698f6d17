"""Structured control flow and tiles as C.

This covers loops with assigned variables, branches, and the choice between `if` and `?:`.

A loop-carried value is one C variable from its initial value to the loop's result. If the initial value is itself such a
variable and has no further use, the loop reuses it: a nest of reductions has one accumulator.

Tiles are rows of memory (`dialects/vectors.py`). The C contains the hints that compilers need to handle them well.

    for (ptrdiff_t i = 0; i < 64; i += LOOMIR_TILE(32)) {
        float row[LOOMIR_TILE(32)];
        …
            LOOMIR_UNROLL(32)
            for (ptrdiff_t l = 0; l < LOOMIR_TILE(32); ++l) {
                row[l] = row[l] + x * w[k * 64 + (i + l)];
            }

After unrolling, the elements of a row are in registers; gcc unrolls only on request, and vectorizes the elements. clang
unrolls by itself. If the iterations of a surrounding loop read adjacent elements, gcc 12 would vectorize four of its
iterations, which is several times as slow; an opaque statement in the loop body that emits no instruction prevents
this.

If code size matters (`-Os`), tiles have eight elements, or four if the tile has fewer than twice as many. They have
four on x86, whose instructions are twice as long as those of Arm.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from loomir.compiler.formats.c.expressions import (
    Expr,
    call,
    kind,
    memory_type,
    name,
    negate,
    value_type,
    variable,
)
from loomir.compiler.formats.c.rules import choose, refuse
from loomir.compiler.formats.c.runtime import Runtime
from loomir.compiler.formats.c.statements import Statements, View, row_major, static_shape
from loomir.compiler.formats.c.values import LiveValues, Names
from loomir.dialects.element_types import memref_type_of
from loomir.dialects.region_flow import common_block, owning_block, runs_once_in, terminator
from loomir.dialects.vectors import has_size_of_tile, is_to_unroll
from loomir.passes.analysis.value_ranges import IntegerRanges

_TILE, _UNROLL = "LOOMIR_TILE", "LOOMIR_UNROLL"

_DEFINITIONS = f"""\
#ifndef {_TILE}
#if defined(__OPTIMIZE_SIZE__) && (defined(__x86_64__) || defined(__i386__))
#define {_TILE}(n) 4
#elif defined(__OPTIMIZE_SIZE__)
#define {_TILE}(n) ((n) < 16 ? 4 : 8)
#else
#define {_TILE}(n) n
#endif
#if defined(__GNUC__) && __GNUC__ >= 8 && !defined(__clang__)
#define {_UNROLL}_PRAGMA(text) _Pragma(#text)
#define {_UNROLL}_TILE(n) {_UNROLL}_PRAGMA(GCC unroll n)
#define {_UNROLL}(n) __asm__ volatile (""); {_UNROLL}_TILE({_TILE}(n))
#else
#define {_UNROLL}(n)
#endif
#endif
"""


def tile_size(elements: int | str) -> str:
    """Return the size of a tile: 4, 8, 16 or 32.

    So 4 divides it, and so does 8 if the size is larger than that.
    """
    return f"{_TILE}({elements})"


def unrolled(elements: int | str) -> str:
    """Return the line before a loop over the elements of a tile."""
    return f"{_UNROLL}({elements})"


def definitions_of_tiles(words: Collection[str]) -> list[str]:
    """Return the tile macros if the words of a program contain them.

    They are guarded, so that two models may be included in one file.
    """
    return [_DEFINITIONS] if _TILE in words else []


_CONDITIONAL = 100
"""A branch of more characters becomes an `if` statement."""

Assignment = tuple[str, str, Expr]


class Loops(Statements):
    """Control flow on top of `Statements`; the subclass prints single operations."""

    runtime: Runtime
    ranges: IntegerRanges

    def __init__(self, needed: LiveValues, names: Names, read_only: set[SSAValue]) -> None:
        super().__init__(needed, names)
        self.read_only = read_only
        self._locals: dict[Block, list[memref.AllocaOp]] = {}
        """Arrays by the block at whose start they are declared."""
        self._variables: dict[SSAValue, str] = {}
        """Values in C variables that may be reassigned after their last use."""

    @abstractmethod
    def operation(self, op: Operation) -> None:
        """Print one operation."""

    def operations(self, block: Block) -> None:
        """Print all operations of a block."""
        for op in self._locals.pop(block, ()):
            self._declare_array(op)
        for op in block.ops:
            self.operation(op)

    # Arrays

    def local_array(self, op: memref.AllocaOp) -> None:
        """Declare an array in the innermost block that contains all its uses.

        The arrays of consecutive loop nests then share stack space.
        """
        block = common_block([use.operation for use in op.memref.uses])
        if block is op.parent:
            self._declare_array(op)
        else:
            self._locals.setdefault(block, []).append(op)

    def _declare_array(self, op: memref.AllocaOp) -> None:
        type_ = memref_type_of(op.memref)
        shape = static_shape(type_)
        word = self.names.fresh(op.memref.name_hint, "row")
        view = View(name(word), type_.element_type, shape, row_major(shape), const=False)
        self.bind_view(op.memref, view)
        size = tile_size(view.size().text) if has_size_of_tile(op) else view.size().text
        self.line(f"{memory_type(type_.element_type)} {word}[{size}];", word)

    def structured(self, op: scf.ForOp | scf.WhileOp | scf.IfOp) -> None:
        """Print a loop or branch."""
        if isinstance(op, scf.ForOp):
            self._for(op)
        elif isinstance(op, scf.WhileOp):
            self._while(op)
        else:
            self._if(op)

    # Variables

    def c_type(self, value: SSAValue) -> str:
        """The type of the variable of a scalar or memref."""
        t = value.type
        return self._view_of(value, t, "").c_type if isinstance(t, MemRefType) else value_type(t)

    def value_of(self, value: SSAValue) -> Expr:
        """Return a scalar, or the pointer of a memref without an offset."""
        return self.view(value).address() if isinstance(value.type, MemRefType) else self.use(value)

    def alias_variable(self, value: SSAValue, word: str, owned: bool = True) -> None:
        """Bind a value to a variable that is assigned more than once."""
        if isinstance(value.type, MemRefType):
            self.bind_view(value, self._view_of(value, value.type, word))
        else:
            self.alias(value, variable(word))
        if owned:
            self._variables[value] = word

    def _view_of(self, value: SSAValue, t: MemRefType[Attribute], word: str) -> View:
        shape = static_shape(t)
        return View(variable(word), t.element_type, shape, row_major(shape), value in self.read_only)

    def _new_variable(self, value: SSAValue, hint: str | None, initial: Expr | None) -> str:
        if isinstance(value.type, MemRefType):
            return self.declare_pointer(self.c_type(value), hint, initial)
        return self.declare_scalar(value.type, hint, initial)

    def _carried_variable(
        self, op: Operation, initial: SSAValue, argument: SSAValue, hint: str | None
    ) -> str:
        """Return the variable of a loop-carried value.

        This is the variable of the initial value if that is dead after the loop's start, otherwise a new one.
        """
        word = self._variables.get(initial)
        if (
            word is not None
            and self.needed.uses[initial] == 1
            and (initial in self.read_only) == (argument in self.read_only)
            and (home := owning_block(initial)) is not None
            and runs_once_in(op, home)
        ):
            return word
        return self._new_variable(argument, hint, self.value_of(initial))

    def _assignments(self, targets: Sequence[tuple[SSAValue, str]], values: Sequence[SSAValue]) -> None:
        self.assign([(word, self.c_type(t), self.value_of(v)) for (t, word), v in zip(targets, values)])

    # for

    def _for(self, op: scf.ForOp) -> None:
        block = op.body.block
        counter, *arguments = block.args
        carried = [
            (k, argument)
            for k, argument in enumerate(arguments)
            if self.needed.uses[argument] or self.needed.uses[op.results[k]]
        ]
        targets: list[tuple[SSAValue, str]] = []
        for k, argument in carried:
            hint = argument.name_hint or op.results[k].name_hint
            if hint is None and not isinstance(argument.type, MemRefType):
                hint = "acc"
            word = self._carried_variable(op, op.iter_args[k], argument, hint)
            self.alias_variable(argument, word)
            targets.append((argument, word))
        lower, upper, by, *_ = op.operands
        start, end = self.use(lower), self.atom(upper)
        step = self.atom(by)
        if op in self.needed.writers:
            self.settle()
        self.names.push()
        i = self.names.fresh_counter(counter.name_hint)
        self.alias(counter, Expr(i))
        first = f"{value_type(counter.type)} {i} = {start.text}"
        if has_size_of_tile(op) and self.ranges.constant(by) != 1:
            step = Expr(tile_size(step.text))
        elif has_size_of_tile(op):
            if is_to_unroll(op):
                self.line(unrolled(end.text))
            end = Expr(tile_size(end.text))
        head = f"for ({first}; {i} < {end.text}; {self._step(op, i, end, step)})"
        with self.block(head, declares=i):
            self.operations(block)
            yielded = terminator(block).operands
            self._assignments(targets, [yielded[k] for k, _ in carried])
        self.names.pop()
        for (k, _), (_, word) in zip(carried, targets):
            self.alias_variable(op.results[k], word)

    def _step(self, op: scf.ForOp, i: str, end: Expr, step: Expr) -> str:
        """How a loop variable advances without overflowing."""
        if self.ranges.constant(op.step) == 1:
            return f"++{i}"
        counter = op.body.block.args[0]
        _, high = self.ranges.of(counter)
        step_low, step_high = self.ranges.of(op.step)
        if step_low > 0 and high + step_high <= self.ranges.limits(counter.type)[1]:
            # int8_t += int promotes, and -Wconversion objects to the way back.
            if kind(counter.type) in ("i8", "i16"):
                return f"{i} = ({value_type(counter.type)})({i} + {step.text})"
            return f"{i} += {step.text}"
        return f"{i} = {call(self.runtime.integer('next', kind(counter.type)), Expr(i), end, step).text}"

    # while

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = terminator(before)
        assert isinstance(condition, scf.ConditionOp)
        carried = [k for k, argument in enumerate(before.args) if self.needed.uses[argument]]
        targets: list[tuple[SSAValue, str]] = []
        for k in carried:
            argument = before.args[k]
            hint = argument.name_hint or (op.results[k].name_hint if k < len(op.results) else None)
            word = self._carried_variable(op, op.arguments[k], argument, hint)
            self.alias_variable(argument, word)
            targets.append((argument, word))
        forwarded = self._forwarded(op, condition, dict(zip(carried, (word for _, word in targets))))
        if op in self.needed.writers:
            self.settle()
        self.names.push()
        with self.aside(own_scope=False) as lines:
            self.operations(before)
            for k, word in forwarded:
                self.line(f"{word} = {self.value_of(condition.args[k]).text};")
            test = self.use(condition.condition)
        with self.block("for (;;)" if lines else f"while ({test.text})"):
            if lines:
                self.lines += lines
                with self.block(f"if ({negate(test).text})"):
                    self.line("break;")
            self.operations(after)
            yielded = terminator(after).operands
            self._assignments(targets, [yielded[k] for k in carried])
        self.names.pop()
        for k, result in enumerate(op.results):
            if self.needed.uses[result]:
                self._rename(after.args[k], result)

    def _forwarded(
        self, op: scf.WhileOp, condition: scf.ConditionOp, words: dict[int, str]
    ) -> list[tuple[int, str]]:
        """Bind the arguments of the after region.

        In normal form they are the arguments of the before region; others get a variable.
        """
        after = op.after_region.block.args
        count = Counter(condition.args)
        own: list[tuple[int, str]] = []
        for k, value in enumerate(condition.args):
            if not (self.needed.uses[after[k]] or self.needed.uses[op.results[k]]):
                continue
            if isinstance(value, BlockArgument) and value.block is op.before_region.block:
                self.alias_variable(after[k], words[value.index], owned=count[value] == 1)
            else:
                word = self._new_variable(after[k], after[k].name_hint or op.results[k].name_hint, None)
                self.alias_variable(after[k], word)
                own.append((k, word))
        return own

    def _rename(self, source: SSAValue, target: SSAValue) -> None:
        """A loop's result is the variable of its last argument."""
        if isinstance(target.type, MemRefType):
            self.bind_view(target, self.view(source))
        else:
            self.alias(target, self.use(source))
        if source in self._variables:
            self._variables[target] = self._variables[source]

    # if

    def _if(self, op: scf.IfOp) -> None:
        if any(self.needed.uses[r] and not _plain(r) for r in op.results):
            raise refuse(op, "a result that is a memref with a layout of its own")
        condition = self.use(op.cond)
        results = [r for r in op.results if self.needed.uses[r]]
        if op in self.needed.writers:
            self.settle()
        words = [self.names.fresh(r.name_hint, "v") for r in results]
        arms = [self._arm(region.blocks.first, results, words) for region in op.regions]
        if len(results) == 1 and not isinstance(results[0].type, MemRefType | VectorType):
            (a, a_lines), (b, b_lines) = arms
            if len(a_lines) == 1 and len(b_lines) == 1 and len(a[0].text) + len(b[0].text) <= _CONDITIONAL:
                self.names.discard(words[0])
                self.bind(results[0], choose(condition, a[0], b[0], results[0].type))
                return
        for r, word in zip(results, words):
            c_type = self.c_type(r)
            self.line(f"{c_type}{'' if c_type.endswith('*') else ' '}{word};", word)
            self.alias_variable(r, word)
        then, other = arms[0][1], arms[1][1]
        if not then:
            condition, then, other = negate(condition), other, []
        with self.block(f"if ({condition.text})", "} else {" if other else "}"):
            self.lines += then
        if other:
            self.lines += other
            self.line("}")

    def _arm(
        self, block: Block | None, results: Sequence[OpResult], words: Sequence[str]
    ) -> tuple[list[Expr], list[str]]:
        """Return the values that an arm yields, and its lines.

        The last lines assign these values.
        """
        if block is None:
            return [], []
        with self.aside() as lines:
            self.operations(block)
            yielded = terminator(block).operands
            values = [self.value_of(yielded[r.index]) for r in results]
            for word, value in zip(words, values):
                self.line(f"{word} = {value.text};")
        return values, lines


def _plain(value: SSAValue) -> bool:
    return not isinstance(value.type, MemRefType) or not value.type.layout.name.startswith("strided")
