"""Function body under construction: lines, scopes, deferred expressions and memrefs.

`Statements` is the part of the printer that is independent of operations. A value is bound (`bind`) to an expression.
If it is used once, in the same block, the expression waits and is printed inside that use; otherwise it becomes a
variable. A waiting expression that loads from memory is given a variable before any write (`settle`).

A memref (`View`) is a pointer, with the known shape and strides. A view costs nothing: a constant offset is folded into the
subscripts, any other into one pointer.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntAttr, MemRefType, StridedLayoutAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.compiler.formats.c.expressions import (
    Expr,
    add,
    binary,
    integer,
    memory_type,
    multiply,
    name,
    subscript,
    value_type,
)
from loomir.compiler.formats.c.values import LiveValues, Names, comment
from loomir.dialects.diagnostics import layer_name


@dataclass(frozen=True, slots=True)
class View:
    """A memref: element `(i, j)` is at `pointer[offset + i * strides[0] + j * strides[1]]`."""

    pointer: Expr
    element: Attribute
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    const: bool
    offset: int = 0
    quads: bool = False
    """True if four consecutive elements are read as one (`loomir.dialects.quads`).

    The strides are those of the elements.
    """

    @property
    def c_type(self) -> str:
        """The type of a pointer to the elements."""
        return f"{'const ' if self.const else ''}{memory_type(self.element)} *"

    def at(self, indices: Sequence[Expr]) -> Expr:
        """The element at an index per dimension."""
        position = self.position(indices)
        # The pointer's own offset is read best at the end: `x[i * 3 + j + 12]`.
        return subscript(self.pointer, add(position, integer(self.offset)))

    def position(self, indices: Sequence[Expr]) -> Expr:
        """The elements between the view's first one and the one at `indices`."""
        terms: list[Expr] = []
        for i, s in zip(indices, self.strides):
            # `(i + 2) * 3` is `i * 3 + 6`, and all numbers become one.
            if i.offset is not None and isinstance(s.literal, int):
                base, distance = i.offset
                terms += [multiply(base, s), integer(distance * s.literal)]
            else:
                terms.append(multiply(i, s))
        constant = sum(t.literal for t in terms if isinstance(t.literal, int))
        rest = [t for t in terms if not isinstance(t.literal, int)]
        return add(reduce(add, rest, integer(0)), integer(constant))

    def address(self) -> Expr:
        """The pointer to the first element."""
        if self.offset == 0:
            return self.pointer
        return binary("+", self.pointer, integer(self.offset))

    def size(self) -> Expr:
        """The number of elements."""
        return reduce(multiply, self.shape, integer(1))


def row_major(shape: Sequence[Expr]) -> tuple[Expr, ...]:
    """The strides of a contiguous array."""
    strides: list[Expr] = []
    step = integer(1)
    for extent in reversed(shape):
        strides.append(step)
        step = multiply(step, extent) if step.literal is not None else multiply(extent, step)
    return tuple(reversed(strides))


def static_shape(t: MemRefType) -> tuple[Expr, ...]:
    """The extents of a memref that has no dynamic one."""
    assert DYNAMIC_INDEX not in t.get_shape(), t
    return tuple(map(integer, t.get_shape()))


def static_strides(t: MemRefType) -> tuple[Expr, ...] | None:
    """The strides of a memref if its type tells them all."""
    if not isinstance(t.layout, StridedLayoutAttr):
        return None if DYNAMIC_INDEX in t.get_shape()[1:] else row_major(static_shape_or_one(t))
    strides = t.layout.strides.data
    if not all(isinstance(s, IntAttr) for s in strides):
        return None
    return tuple(integer(s.data) for s in strides if isinstance(s, IntAttr))


def static_shape_or_one(t: MemRefType) -> tuple[Expr, ...]:
    """Return the extents, with a dynamic outermost extent as 1.

    No stride depends on the outermost extent.
    """
    return tuple(integer(1 if d == DYNAMIC_INDEX else d) for d in t.get_shape())


def contiguous(view: View) -> bool:
    """Return True if the elements are known to be contiguous.

    The test compares the text of the strides.
    """
    expected = row_major(view.shape)
    return all(
        s.text == e.text or extent.literal == 1 for s, e, extent in zip(view.strides, expected, view.shape)
    )


_FOLD = 72
"""An expression of more characters gets a variable."""

_INDENT = "    "
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"/\*.*?\*/")


class Declaration(str):
    """Line that declares a variable; `removable` if it has no other effect."""

    __slots__ = ("removable", "variable")

    variable: str
    removable: bool

    @staticmethod
    def of(text: str, variable: str, removable: bool) -> Declaration:
        line = Declaration(text)
        line.variable = variable
        line.removable = removable
        return line


def words_of(line: str) -> list[str]:
    """Return the identifiers and keywords in a line.

    Names in a comment do not count as used.
    """
    return _WORD.findall(_COMMENT.sub("", line) if "/*" in line else line)


def without_unused(lines: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return the lines without declarations of unread variables, and their words.

    A declaration is dropped if no later line reads its variable.

    A view may not need all the sizes and offsets that it is given, and this is unknown until all its uses are printed. The
    lines are processed backwards, so a name that was seen belongs to the next declaration of it: the ends of scopes do not
    matter.
    """
    kept: list[str] = []
    seen: set[str] = set()
    words: set[str] = set()
    for line in reversed(lines):
        if isinstance(line, Declaration):
            used = line.variable in seen
            seen.discard(line.variable)
            if line.removable and not used:
                continue
        found = words_of(line)
        seen.update(found)
        words.update(found)
        if isinstance(line, Declaration):
            seen.discard(line.variable)
        kept.append(line)
    kept.reverse()
    return kept, words


class Statements:
    """Lines of C and the values that they compute."""

    def __init__(self, needed: LiveValues, names: Names) -> None:
        self.needed = needed
        self.names = names
        self.lines: list[str] = []
        self.depth = 1
        self._values: dict[SSAValue, Expr] = {}
        self._views: dict[SSAValue, View] = {}
        self._waiting: dict[SSAValue, Expr] = {}
        self._layer: str | None = None
        self._coming: str | None = None

    # Lines

    def line(self, text: str, declares: str | None = None, *, removable: bool = False) -> None:
        """Print a line at the current depth.

        If its layer is new, the layer's name is printed first. `declares` is the variable that the line declares; `removable` means
        that the line may be dropped if that variable is never read.
        """
        if self._coming != self._layer:
            self._layer = self._coming
            if self._layer is not None:
                self.lines.append(f"{_INDENT * self.depth}/* {comment(self._layer)} */")
        text = f"{_INDENT * self.depth}{text}"
        self.lines.append(text if declares is None else Declaration.of(text, declares, removable))

    @contextmanager
    def block(self, head: str, foot: str = "}", declares: str | None = None) -> Iterator[None]:
        """Print `head {`, the lines that the caller prints inside, and `}`.

        Names created inside go out of scope at the end.
        """
        self.line(f"{head} {{", declares)
        self.depth += 1
        self.names.push()
        layer = self._layer
        yield
        self._layer = self._coming = layer
        self.names.pop()
        self.depth -= 1
        self.line(foot)

    @contextmanager
    def aside(self, own_scope: bool = True) -> Iterator[list[str]]:
        """Collect the lines printed inside, one level deeper, instead of printing them."""
        outer, self.lines = self.lines, []
        layer, coming = self._layer, self._coming
        self._layer = coming
        self.depth += 1
        if own_scope:
            self.names.push()
        yield self.lines
        if own_scope:
            self.names.pop()
        self.depth -= 1
        self._layer, self._coming = layer, coming
        self.lines = outer

    def layer(self, op: Operation) -> None:
        """Say which operation the next lines come from."""
        found = layer_name(op)
        if found is not None:
            self._coming = found

    # Values

    def use(self, value: SSAValue) -> Expr:
        """The expression of a value, to be printed once."""
        self._waiting.pop(value, None)
        return self._values[value]

    def atom(self, value: SSAValue) -> Expr:
        """Return the value as an expression that may be printed twice.

        This is a variable, a literal, or an index near a variable.
        """
        expression = self._values[value]
        if not expression.is_name and expression.offset is None:
            expression = self._settle(value, expression)
        return expression

    def view(self, value: SSAValue) -> View:
        """Return the view of a memref."""
        return self._views[value]

    def bind(self, value: SSAValue, expression: Expr, *, named: bool = False) -> None:
        """Bind a value to an expression.

        Nothing is printed for an unneeded value. `named` places the value in a variable at this point of the program.
        """
        uses = self.needed.uses[value]
        if uses == 0:
            return
        if (
            expression.literal is not None
            or expression.offset is not None
            or (expression.is_name and not expression.reads)
        ):
            self._values[value] = expression
        elif named or uses > 1 or len(expression.text) > _FOLD or not _used_in(value, value.owner):
            self._settle(value, expression)
        else:
            self._values[value] = expression
            if expression.loads:
                self._waiting[value] = expression

    def alias(self, value: SSAValue, expression: Expr) -> None:
        """Say what a value is without printing anything: a variable that exists."""
        self._values[value] = expression

    def bind_view(self, value: SSAValue, view: View) -> None:
        """Say what a memref is."""
        self._views[value] = view

    def settle(self, used_by: Iterable[SSAValue] = ()) -> None:
        """Give waiting loads a variable before memory is written.

        The loads in `used_by` are printed inside the writing statement.
        """
        if self._waiting:
            kept = set(used_by)
            for value, expression in list(self._waiting.items()):
                if value not in kept:
                    self._settle(value, expression)

    def declare_scalar(
        self, t: Attribute, hint: str | None, initial: Expr | None, *, const: bool = False
    ) -> str:
        """Print the declaration of a scalar variable and return its name."""
        word = self.names.fresh(hint, "v")
        self.line(
            f"{'const ' if const else ''}{value_type(t)} {word}{_initial(initial)};", word, removable=const
        )
        return word

    def declare_pointer(
        self, c_type: str, hint: str | None, initial: Expr | None, *, const: bool = False
    ) -> str:
        """Print the declaration of a pointer and return its name."""
        word = self.names.fresh(hint, "buf")
        self.line(f"{c_type}{'const ' if const else ''}{word}{_initial(initial)};", word, removable=const)
        return word

    def assign(self, targets: Sequence[tuple[str, str, Expr]]) -> None:
        """Print simultaneous assignments of (variable, C type, expression).

        An assignment waits until nobody else reads its variable's old value; a cycle is broken by a
        temporary.
        """
        left = {target: (c_type, e) for target, c_type, e in targets if e.text != target}
        readers: dict[str, int] = dict.fromkeys(left, 0)
        for target, (_, e) in left.items():
            for word in e.reads & readers.keys() - {target}:
                readers[word] += 1
        ready = deque(t for t in left if readers[t] == 0)
        in_cycle = deque(left)

        def release(target: str, e: Expr) -> None:
            for word in sorted(e.reads & left.keys() - {target}):
                readers[word] -= 1
                if readers[word] == 0:
                    ready.append(word)

        while left:
            if ready:
                target = ready.popleft()
                _, e = left.pop(target)
                self.line(f"{target} = {e.text};")
                release(target, e)
                continue
            target = in_cycle.popleft()
            if target in left:
                c_type, e = left[target]
                word = self.names.fresh("next", "next")
                pointer = c_type.endswith("*")
                self.line(
                    f"{c_type}const {word} = {e.text};" if pointer else f"const {c_type} {word} = {e.text};"
                )
                left[target] = (c_type, name(word))
                release(target, e)

    def _settle(self, value: SSAValue, expression: Expr) -> Expr:
        self._waiting.pop(value, None)
        word = self.declare_scalar(value.type, value.name_hint, expression, const=True)
        self._values[value] = settled = name(word)
        return settled


def _initial(e: Expr | None) -> str:
    return "" if e is None else f" = {e.text}"


def _used_in(value: SSAValue, owner: Operation | Block) -> bool:
    """Return True if the only needed use may share the block.

    No use is inside a nested region.
    """
    block = owner if isinstance(owner, Block) else owner.parent
    return all(use.operation.parent is block for use in value.uses)
