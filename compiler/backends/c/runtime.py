"""Runtime of small `static inline` functions, printed only where used.

`runtime_functions.py` has their templates.
"""

from __future__ import annotations

import re

from loomir.compiler.backends.c.literals import bits, limits
from loomir.compiler.backends.c.quad_functions import QUADS
from loomir.compiler.backends.c.runtime_functions import CONVERT, FIXED, FLOAT, INTEGER, INTEGER_32

_SIZE_LIMITS = {
    "@MIN": "PTRDIFF_MIN",
    "@MAX": "PTRDIFF_MAX",
    "@UMAX": "SIZE_MAX",
    "@W": "(int)(8 * sizeof(size_t))",
}


class Runtime:
    """Collects the functions that a program uses, each before its first user."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._texts: dict[str, str] = {}

    def integer(self, operation: str, kind: str) -> str:
        """Return the function of an integer operation.

        The operation is one such as `add`, the kind one such as `i32`.
        """
        template = INTEGER_32.get(operation, INTEGER[operation]) if kind == "i32" else INTEGER[operation]
        return self._need(template, operation, f"{operation}_{kind}", _integer_names(kind))

    def float(self, operation: str, kind: str) -> str:
        """Return the function of a float operation such as `maximum`.

        `kind` is f32 or f64.
        """
        return self._need(FLOAT[operation], operation, f"{operation}_{kind}", _float_names(kind))

    def convert(self, operation: str, source: str, target: str) -> str:
        """Return the function that converts between a float and an integer kind.

        `to`, `tou` and `bits_to` go from float to integer, `bits_of` from integer to float.
        """
        integer, real = (source, target) if operation == "bits_of" else (target, source)
        names = {**_integer_names(integer), "@F": _float_names(real)["@T"]}
        names |= _conversion_limits(integer, real)
        word = {"to": "to", "tou": "to_u", "bits_to": "bits_to", "bits_of": "bits_to"}[operation]
        join = "" if word.endswith("_u") else "_"
        return self._need(CONVERT[operation], operation, f"{source}_{word}{join}{target}", names)

    def fixed(self, name: str) -> str:
        """A function without a kind, such as `store_f16`."""
        return self._need({**FIXED, **QUADS}[name], name, name, {})

    def text(self, body: str) -> str:
        """Return the functions that `body` uses, directly or indirectly.

        They are in an order that C accepts. Functions that only discarded expressions requested are left out, because compilers
        warn of unused ones.
        """
        words = set(re.findall(r"\w+", body))
        used: list[str] = []
        for function, text in reversed(self._texts.items()):
            if function in words:
                used.append(text)
                words.update(re.findall(r"\w+", text))
        return "\n".join(reversed(used))

    def _need(self, template: str, operation: str, name: str, names: dict[str, str]) -> str:
        function = f"{self._prefix}_{name}"
        if function in self._texts:
            return function
        kind = names.get("@K", "")
        text = re.sub(r"@call\((\w+)\)", lambda m: self.integer(m[1], kind), template)
        text = re.sub(r"@((?:load|store)_\w+)", lambda m: self.fixed(m[1]), text)
        names = {**names, "@N": function, "@P": self._prefix}
        text = re.sub(r"@\w+", lambda m: names[m[0]], text)
        self._texts[function] = _dedent(text) + "\n"
        return function


def _dedent(text: str) -> str:
    lines = text.strip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[margin:] if line[:margin].isspace() else line.lstrip() for line in lines)


def _integer_names(kind: str) -> dict[str, str]:
    if kind == "index":
        return {"@K": kind, "@T": "ptrdiff_t", "@U": "size_t", "@V": "size_t", **_SIZE_LIMITS}
    width = bits(kind)
    return {
        "@K": kind,
        "@T": f"int{width}_t",
        "@U": f"uint{width}_t",
        "@V": f"uint{max(width, 32)}_t",
        "@MIN": f"INT{width}_MIN",
        "@MAX": f"INT{width}_MAX",
        "@UMAX": f"UINT{width}_MAX",
        "@W": str(width),
    }


def _float_names(kind: str) -> dict[str, str]:
    return {"@K": kind, "@T": "double" if kind == "f64" else "float"}


def _conversion_limits(integer: str, real: str) -> dict[str, str]:
    """Return the bounds of a float-to-integer conversion as float literals.

    Conversion is exact strictly between `@LOW` and `@HIGH`, both of which are exact in the float type.
    """
    if integer == "index":
        raise AssertionError("MLIR has no conversion between float and index")
    low, high = limits(integer)
    suffix, digits = ("", 53) if real == "f64" else ("f", 24)
    # low - 1 where the float type holds it; else low itself, which gives the same result either way.
    bound = low - 1 if abs(low - 1).bit_length() <= digits else low
    return {
        "@HIGH": f"{float(high + 1)!r}{suffix}",
        "@LOW": f"{float(bound)!r}{suffix}",
        "@UHIGH": f"{float(2 * (high + 1))!r}{suffix}",
    }
