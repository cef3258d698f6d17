"""Values of a function in C: identifiers and use counts.

Text of a model reaches C only through `identifier` (letters, digits and underscores, no keyword, no reserved name, no name
that a header defines) or `comment` (one line that cannot end the comment).

Values that a function does not need are never printed. Under `-Wall -Werror`, a C compiler rejects a variable that is set and
not read. Values are therefore counted backwards from side effects, optimistically through the back edges of loops: a
loop-carried value that only feeds itself is not needed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable

from xdsl.dialects import cf, func, memref, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, OpResult, SSAValue

from loomir.dialects.region_flow import RegionFlow, owning_operation, region_flow, successor_values
from loomir.dialects.upstream.walking import walk


def _words(text: str) -> list[str]:
    return text.split()


_KEYWORDS = _words(
    """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
while alignas alignof asm bool constexpr false nullptr static_assert thread_local true typeof
typeof_unqual and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield
compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable
namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires
static_cast template this throw try typeid typename using virtual wchar_t xor xor_eq final override
import module main
"""
)

_MATH = _words(
    """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim
floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint
lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh
sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn gamma signgam drem significand roundeven exp10 pow10 sincos
"""
)

_LIBRARY = _words(
    """
NULL INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO
FP_ILOGB0 FP_ILOGBNAN MATH_ERRNO MATH_ERREXCEPT math_errhandling fpclassify isfinite isinf isnan
isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered offsetof size_t
ptrdiff_t max_align_t float_t double_t memcpy memmove memset memcmp memchr strcpy strncpy strcat strncat
strcmp strcoll strncmp strxfrm strchr strcspn strpbrk strrchr strspn strstr strtok strerror strlen
intptr_t uintptr_t intmax_t uintmax_t linux unix errno
"""
)

_MATH_FUNCTIONS = [f + s for f in _MATH for s in ("", "f", "l")]
RESERVED = frozenset((*_KEYWORDS, *_LIBRARY, *_MATH_FUNCTIONS))
"""Words that emitted identifiers must not use.

These are the keywords of C and C++, and the names that the five headers define.
"""

MATH_WORDS = frozenset(
    (*_MATH_FUNCTIONS, "INFINITY", "NAN", "isnan", "isunordered", "signbit"),
)
"""Words that make `<math.h>` necessary."""

_INTEGER_NAMES = re.compile(
    r"loomir_[a-z]+\d+x\d+u?|LOOMIR_.*|u?int(_least|_fast)?\d*_t|U?INT.*|PTRDIFF_.*|SIZE_.*|M_.*|E[0-9A-Z].*|wchar.*"
)
_HEADERS = _words(
    """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
    stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath
    threads time uchar wchar wctype
    """
)
_MAX_LENGTH = 48


def identifier(text: str, default: str) -> str:
    """Return the nearest C identifier.

    Examples: `conv/Conv:0` → `conv_Conv_0`, `2x` → `v2x` with default `v`, `for` → `for_`.

    The identifier never starts with an underscore and never contains two in a row (both are reserved). It is cut to a
    length that every compiler distinguishes.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    word = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", plain)).strip("_")[:_MAX_LENGTH].rstrip("_")
    if not word:
        word = default
    if word[0].isdigit():
        word = f"{default}{word}"
    if word in RESERVED or _INTEGER_NAMES.fullmatch(word):
        word = f"{word}_"
    return word


def prefix(model_name: str) -> str:
    """Return the prefix of a model's public names, also its file name.

    A model with the name of a standard header would hide that header from its own C file.
    """
    word = identifier(model_name, "model").rstrip("_") or "model"
    return f"{word}_model" if word.lower() in _HEADERS else word


def comment(text: str, limit: int = 100) -> str:
    """Return text of a model in a form safe inside `/* */`.

    The result is printable ASCII on one line without comments or trigraphs.
    """
    safe = "".join(c if " " <= c <= "~" and c != "\\" else f"<U+{ord(c):04X}>" for c in text)
    for unsafe, instead in (("*/", "* /"), ("/*", "/ *"), ("??", "? ?")):
        while unsafe in safe:
            safe = safe.replace(unsafe, instead)
    safe = safe if len(safe) <= limit else safe[: limit - 3] + "..."
    # A star or slash at an end could join with the comment's own.
    return re.sub(r"^(?=/)|(?<=[*])$", " ", safe)


class Names:
    """Identifiers in use at one point of a function.

    The names of a closed scope may be used again.
    """

    def __init__(self, own_prefix: str) -> None:
        self._own = (f"{own_prefix}_".lower(), own_prefix.lower())
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._scopes: list[tuple[list[str], list[tuple[str, int]]]] = [([], [])]

    def push(self) -> None:
        """Open a scope."""
        self._scopes.append(([], []))

    def pop(self) -> None:
        """Close the innermost scope; its names are free again."""
        names, numbers = self._scopes.pop()
        self._used.difference_update(names)
        for base, number in reversed(numbers):
            self._numbers[base] = number

    def fresh(self, text: str | None, default: str) -> str:
        """Return a new identifier like `text`.

        This is `text` itself, or `text` with the lowest number that makes it unique.
        """
        base = identifier(text or default, default)
        if base.lower().startswith(self._own[0]) or base.lower() == self._own[1]:
            base = f"{'val' if self._own[1] == 'var' else 'var'}_{base}"
        if base not in self._used:
            return self._take(base)
        number = self._numbers.get(base, 2)
        self._scopes[-1][1].append((base, number))
        stem = f"{base}_" if base[-1].isdigit() else base
        while f"{stem}{number}" in self._used or f"{stem}{number}" in RESERVED:
            number += 1
        self._numbers[base] = number + 1
        return self._take(f"{stem}{number}")

    def discard(self, word: str) -> None:
        """Release a name that this scope created but did not use."""
        self._used.discard(word)

    def fresh_counter(self, text: str | None) -> str:
        """Return a name for a loop variable.

        This is its own name, or the first free letter from `i`.
        """
        if text is not None:
            return self.fresh(text, "i")
        for letter in "ijklmn":
            if letter not in self._used:
                return self._take(letter)
        return self.fresh(None, "i")

    def _take(self, word: str) -> str:
        self._used.add(word)
        self._scopes[-1][0].append(word)
        return word


_WRITERS = (memref.StoreOp, memref.CopyOp, vector.StoreOp)
_EFFECTS = (*_WRITERS, cf.AssertOp, func.ReturnOp)


class LiveValues:
    """Needed values of a function and their use counts.

    `uses[v]` counts the places that need `v`; it is 0 if `v` is not printed at all.

    `operations` holds the structured operations that are printed because they contain a side effect or have a needed result.
    """

    def __init__(self, function: func.FuncOp, constant: Callable[[SSAValue], bool]) -> None:
        """Count the needed values of `function`.

        `constant` returns True for values that are printed as literals; these need no other values.
        """
        self._constant = constant
        self.uses: Counter[SSAValue] = Counter()
        self.operations: set[Operation] = set()
        self.writers: set[Operation] = set()
        """Operations that may write memory, themselves or inside."""
        self._work: list[SSAValue] = []
        self._flows: dict[Operation, RegionFlow | None] = {}
        self._handed: set[tuple[Operation, int]] = set()
        for op in walk(function):
            if type(op) in _EFFECTS:
                self._need_all(op.operands)
                self._need_parents(op)
                if type(op) in _WRITERS:
                    parent: Operation | None = op
                    while parent is not None and parent not in self.writers:
                        self.writers.add(parent)
                        parent = parent.parent_op()
        while self._work:
            self._need_sources(self._work.pop())

    def _need_all(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self._need(value)

    def _need(self, value: SSAValue) -> None:
        before = self.uses.get(value, 0)
        self.uses[value] = before + 1
        if not before and not self._constant(value):
            self._work.append(value)

    def _need_parents(self, op: Operation) -> None:
        """Mark the operations around `op` as needed, with their deciding operands.

        A printed structured operation needs the values that decide whether its regions run.
        """
        parent = op.parent_op()
        while parent is not None and parent not in self.operations:
            self._need_structure(parent)
            parent = parent.parent_op()

    def _need_structure(self, op: Operation) -> None:
        if op in self.operations:
            return
        self.operations.add(op)
        if (flow := region_flow(op)) is not None:
            self._need_all(flow.deciders)
        self._need_parents(op)

    def _flow_around(self, value: SSAValue) -> RegionFlow | None:
        """Return the region flow of the operation that owns a value.

        The value is an argument or a result of that operation. The flow is cached, because the operation has many such values and
        nothing changes meanwhile.
        """
        owner = owning_operation(value)
        if owner is None or not owner.regions:
            return None
        if owner not in self._flows:
            self._flows[owner] = region_flow(owner)
        return self._flows[owner]

    def _need_sources(self, value: SSAValue) -> None:
        flow = self._flow_around(value)
        if flow is None:
            self._need_all(value.op.operands if isinstance(value, OpResult) else ())
            return
        self._need_structure(flow.op)
        # The argument and the result of a `for` are one variable, and so are the after-argument and the result of a `while`: what is
        # handed to both is needed once.
        for handed in flow.predecessor_operands(value):
            if handed not in self._handed:
                self._handed.add(handed)
                operation, number = handed
                self._need(operation.operands[number])


def read_only(function: func.FuncOp, roots: Iterable[SSAValue]) -> set[SSAValue]:
    """Return all memrefs that may point into one of `roots`.

    In C they are pointers to `const`.
    """
    found: set[SSAValue] = set()
    work = list(roots)
    while work:
        value = work.pop()
        if value in found:
            continue
        found.add(value)
        for use in value.uses:
            op = use.operation
            if isinstance(op, (memref.LoadOp, vector.LoadOp, func.ReturnOp, *_WRITERS)):
                continue
            passed_on = successor_values(op, use.index)
            work += passed_on or (r for r in op.results if isinstance(r.type, MemRefType))
    return found
