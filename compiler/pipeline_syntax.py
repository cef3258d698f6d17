"""Text of pass pipelines.

The grammar is that of `mlir-opt`. xDSL's parser reads each pass with its options.

```
pipeline ::= element (`,` element)*
element  ::= (`builtin.module` | `func.func`) `(` pipeline? `)` | pass | level
pass     ::= name (`{` name `=` value (` ` name `=` value)* `}`)?
```

Errors quote the text with a mark at the position, and suggest the nearest name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.arg_spec import parse_pipeline as parse_flat_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, ParseError
from xdsl.utils.hints import type_repr
from xdsl.utils.lexer import Input, Span

from loomir.compiler.formats.mlir.parser import marked
from loomir.compiler.function_passes import OnEachFunction
from loomir.errors import Error, suggestion

ANCHORS = ("builtin.module", "func.func")
"""Operations that passes run on."""

_STRING = r'"(?:\\.|[^"\\])*(?:"|\\?$)'
_WORD = rf'(?:{_STRING}|\[[^\]]*(?:\]|$)|\{{(?:{_STRING}|[^"}}])*(?:\}}|$)|[^(),"\[{{])+'
_TOKEN = re.compile(rf"\s*(?:(?P<word>(?=\S){_WORD})|[(),])|\s+$", re.DOTALL)
"""A pass with its options (and their commas), or punctuation."""

_PLACE = re.compile(r"^[\w-]+:(\d+):(\d+)$", re.MULTILINE)
"""Line and column in the errors of xDSL's parser."""


@dataclass(frozen=True)
class Element:
    """A pass or level of a pipeline, with its position."""

    spec: ArgSpec
    text: str
    position: int
    on_functions: bool

    def error(self, what: str, hint: str | None = None, *, at: str = "") -> Error:
        """Error `bad-pipeline` with a mark at the element or its option `at`."""
        position = self.text.index(at, self.text.index("{", self.position)) if at else self.position
        return _error(self.text, position, what, hint)

    def instance(
        self, known: Mapping[str, Callable[[], type[ModulePass]]], levels: Iterable[str]
    ) -> ModulePass:
        """Return the pass.

        Error: `bad-pipeline` for an unknown name or option, or a wrong value.
        """
        spec = self.spec
        if spec.name not in known:
            hint = suggestion(spec.name, [*known, *levels]) or "loomir-opt --list-passes lists all passes"
            raise self.error(f"unknown pass '{spec.name}'", hint)
        of = known[spec.name]()
        names = option_names(of)
        for name in spec.parameters:
            if name.replace("_", "-") not in names:
                near = suggestion(name, names)
                listed = f"options: {', '.join(names)}" if names else "it has no options"
                hint = f"{near}; {listed}" if near else listed
                raise self.error(f"{spec.name} has no option '{name}'", hint, at=name)
        try:
            return of.from_pass_spec(spec)
        except (ValueError, TypeError, KeyError) as error:
            what, option = _about_value(spec, of, error)
            raise self.error(what, at=option) from error


def option_names(of: type[ModulePass]) -> list[str]:
    """Return the names of a pass's options, as a pipeline spells them."""
    return [each.name.replace("_", "-") for each in fields(of) if each.init and each.name != "name"]


def option_types(of: type[ModulePass]) -> dict[str, str]:
    """Return the types of a pass's options, or the values of choices."""
    hints, found = get_type_hints(of), dict[str, str]()
    for each in fields(of):
        if get_origin(hint := hints[each.name]) is Literal:
            found[each.name] = " | ".join(map(repr, get_args(hint)))
        else:
            found[each.name] = each.type if isinstance(each.type, str) else type_repr(each.type)
    return found


def _about_value(spec: ArgSpec, of: type[ModulePass], error: Exception) -> tuple[str, str]:
    """Return what is wrong with an option, and the option.

    xDSL's errors do not name it.
    """
    types = option_types(of)
    for name, value in spec.parameters.items():
        if f"given {value}," in str(error):
            given = ",".join(map(str, value)) or "nothing"
            return f"{spec.name}: '{given}' is no value of {name}: {types[name.replace('-', '_')]}", name
    return str(error), ""


def elements_of(text: str) -> Iterator[Element]:
    """Generate the passes and levels of a pipeline, in order. Error: `bad-pipeline`."""
    reader = _Reader(text)
    if reader.at_end:
        return
    yield from reader.pipeline(None)
    if not reader.at_end:
        raise reader.error("expected a comma")


class _Reader:
    """A parser by recursive descent. Nesting is limited by the anchors."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [t for t in _TOKEN.finditer(text) if t[0].strip()]
        self.next = 0

    @property
    def at_end(self) -> bool:
        return self.next == len(self.tokens)

    def error(self, what: str, hint: str | None = None) -> Error:
        """Error at the next token."""
        position = len(self.text) if self.at_end else _start(self.tokens[self.next])
        return _error(self.text, position, what, hint)

    def take(self, punctuation: str) -> bool:
        """Skip this punctuation if it is next."""
        found = not self.at_end and self.tokens[self.next][0].strip() == punctuation
        self.next += found
        return found

    def pipeline(self, anchor: str | None) -> Iterator[Element]:
        yield from self.element(anchor)
        while self.take(","):
            yield from self.element(anchor)

    def element(self, anchor: str | None) -> Iterator[Element]:
        if self.at_end or not self.tokens[self.next]["word"]:
            raise self.error("expected a pass")
        word = self.tokens[self.next]
        self.next += 1
        if not self.take("("):
            yield Element(self._spec(word), self.text, _start(word), anchor == "func.func")
            return
        self.next -= 2
        name = word["word"].strip()
        if name not in ANCHORS:
            hint = suggestion(name, ANCHORS) or f"known: {', '.join(ANCHORS)}"
            raise self.error(f"passes do not run on '{name}'", hint)
        if anchor == "func.func" or anchor == name:
            raise self.error(f"'{name}' cannot be nested in '{anchor}'")
        self.next += 2
        if self.take(")"):
            return
        yield from self.pipeline(name)
        if not self.take(")"):
            raise self.error(f"expected a comma, or the parenthesis that closes '{name}('")

    def _spec(self, word: re.Match[str]) -> ArgSpec:
        written = word["word"].strip()
        try:
            (spec,) = parse_flat_pipeline(written)
        except (ArgSpecParseError, ParseError, ValueError, TypeError, KeyError, AssertionError) as error:
            *_, what = str(error).strip().splitlines() or ["it cannot be read"]
            place = _PLACE.search(str(error))
            start = _start(word)
            if place is not None:
                lines = written.splitlines(keepends=True)[: int(place[1]) - 1]
                start += sum(map(len, lines)) + int(place[2]) - 1
            raise _error(self.text, start, what.strip()) from error
        return spec


def _start(token: re.Match[str]) -> int:
    return token.end() - len(token[0].lstrip())


def _error(text: str, position: int, what: str, hint: str | None = None) -> Error:
    mark = marked(Span(position, position + 1, Input(text, "pipeline")))
    told = "; ".join(part for part in (what, hint) if part)
    return Error("bad-pipeline", f"'{text}' is not a pass pipeline: {told}", hint=mark)


def pass_text(instance: ModulePass, *, include_default: bool = False) -> str:
    """Return a pass with its options as an element of a pipeline."""
    spec = instance.pipeline_pass_spec(include_default=include_default)
    named = {name.replace("_", "-"): value for name, value in spec.parameters.items()}
    text = str(replace(spec, parameters=named))
    return f"func.func({text})" if isinstance(instance, OnEachFunction) else text
