"""Configuration files of replacements, in the Model Optimizer's format.

An entry describes the sub-graphs to find in a model, under the id of the handler that replaces them.

```json
[{"id": "AcmeNorm", "match_kind": "scope", "instances": ["block[0-9]+/norm/"],
  "inputs": [[{"node": "mean$", "port": 0}]], "outputs": [{"node": "scaled$", "port": 0}],
  "custom_attributes": {"epsilon": 0.001}}]
```
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loomir.compiler.files import MAX_FILE_BYTES, printable, read_file
from loomir.errors import Error, shown

KINDS = ("scope", "points", "general")

NodePort = tuple[str, int]
"""Node and the number of one of its inputs or outputs.

The node is a regular expression for the rest of its name.
"""


@dataclass(frozen=True)
class Description:
    """One entry of a file."""

    file: str
    id: str
    kind: str
    scopes: tuple[str, ...] = ()
    """`scope`: regular expressions, one per sub-graph.

    Each matches the beginnings of the names of the nodes of its sub-graph.
    """
    start: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    """`points`: the names of the nodes between which the sub-graph lies."""
    include_start: bool = True
    include_end: bool = True
    """`points`: whether these nodes belong to it."""
    inputs: tuple[tuple[NodePort, ...], ...] | None = None
    outputs: tuple[NodePort, ...] | None = None
    """In which order; None: as the program has them."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """`custom_attributes`: for whoever replaces it."""
    op: str = ""
    """An operator, for whoever replaces it."""

    def error(self, what: str, hint: str | None = None) -> Error:
        """Return the error `replacement-match` for a model that does not fit."""
        return Error("replacement-match", f"the replacement '{self.id}': {what}", file=self.file, hint=hint)


def read_descriptions(path: str | Path) -> list[Description]:
    """Read the entries of a file, in its order.

    Errors: `file-unreadable`, `file-too-large`; `replacement-file`, with the file and the id.
    """
    file = printable(path)
    try:
        content = json.loads(read_file(Path(path), MAX_FILE_BYTES))
    except (ValueError, RecursionError) as error:
        raise _wrong(file, f"it is not JSON: {error}") from error
    if not isinstance(content, list):
        raise _wrong(file, "it holds no list of replacements", '[{"id": …, "match_kind": …}, …]')
    return [_Entry(file, index, entry).read() for index, entry in enumerate(content)]


def _wrong(file: str, what: str, hint: str | None = None) -> Error:
    return Error("replacement-file", what, file=file, hint=hint)


KEYS = {
    "general": set[str](),
    "scope": {"instances", "inputs", "outputs"},
    "points": {
        "instances",
        "inputs",
        "outputs",
        "include_inputs_to_sub_graph",
        "include_outputs_to_sub_graph",
    },
}
"""Allowed keys of an entry of each kind.

The keys `id`, `match_kind`, `custom_attributes` and `op` are allowed in any entry.
"""


class _Entry:
    """An entry that is being read."""

    def __init__(self, file: str, index: int, content: object) -> None:
        self.file = file
        self.name = f"replacement {index}"
        if not isinstance(content, dict):
            raise _wrong(file, f"{self.name} is {shown(content)}, not an object")
        self.content: dict[str, Any] = content
        identifier = self._item("id", str, "a non-empty text", needed=True)
        if not identifier:
            raise self._wrong("id", "a non-empty text")
        self.id: str = identifier
        self.name = f"the replacement '{self.id}'"

    def _wrong(self, key: str, wanted: str) -> Error:
        return _wrong(self.file, f"{self.name}: '{key}' is not {wanted}")

    def _item(self, key: str, kind: type, wanted: str, *, needed: bool = False) -> Any:
        """Return the value of a key, or None if it is absent."""
        if key not in self.content:
            if needed:
                raise _wrong(self.file, f"{self.name} has no '{key}'")
            return None
        value = self.content[key]
        if not isinstance(value, kind):
            raise self._wrong(key, wanted)
        return value

    def read(self) -> Description:
        kind = self._item("match_kind", str, f"one of {', '.join(KINDS)}", needed=True)
        if kind not in KEYS:
            raise self._wrong("match_kind", f"one of {', '.join(KINDS)}")
        known = {"id", "match_kind", "custom_attributes", "op", *KEYS[kind]}
        if unknown := sorted(self.content.keys() - known):
            what = f"{self.name}, of the kind {kind}, has the unknown key '{unknown[0]}'"
            raise _wrong(self.file, what, f"known: {', '.join(sorted(known))}")
        attributes = self._item("custom_attributes", dict, "an object") or {}
        op = self._item("op", str, "a text") or ""
        if kind == "general":
            return Description(self.file, self.id, kind, attributes=attributes, op=op)
        inputs = self._list("inputs", self._ports)
        outputs = self._list("outputs", self._port)
        if kind == "scope":
            return Description(
                self.file,
                self.id,
                kind,
                scopes=self._scopes(),
                inputs=inputs,
                outputs=outputs,
                attributes=attributes,
                op=op,
            )
        start, end = self._points()
        includes = [
            self._item(f"include_{which}_to_sub_graph", bool, "true or false")
            for which in ("inputs", "outputs")
        ]
        return Description(
            self.file,
            self.id,
            kind,
            start=start,
            end=end,
            include_start=includes[0] is not False,
            include_end=includes[1] is not False,
            inputs=inputs,
            outputs=outputs,
            attributes=attributes,
            op=op,
        )

    def _scopes(self) -> tuple[str, ...]:
        wanted = "a list of regular expressions, at least one"
        found = self._item("instances", list, wanted, needed=True)
        if not found:
            raise self._wrong("instances", wanted)
        return tuple(self._pattern("instances", each, wanted) for each in found)

    def _pattern(self, key: str, text: object, wanted: str) -> str:
        if not isinstance(text, str):
            raise self._wrong(key, wanted)
        try:
            re.compile(text)
        except re.error as error:
            what = f"{self.name}: '{text}' in '{key}' is not a regular expression: {error}"
            raise _wrong(self.file, what) from error
        return text

    def _points(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        wanted = "an object with the lists start_points and end_points of names, none of them empty"
        found = self._item("instances", dict, wanted, needed=True)
        lists = [found.get("start_points"), found.get("end_points")]
        for names in lists:
            if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
                raise self._wrong("instances", wanted)
        return tuple(lists[0]), tuple(lists[1])

    def _list(self, key: str, read: Callable[[str, object], Any]) -> tuple[Any, ...] | None:
        """A list; an empty one says as little as none."""
        found: Sequence[object] | None = self._item(key, list, "a list")
        return tuple(read(key, each) for each in found) if found else None

    def _ports(self, key: str, value: object) -> tuple[NodePort, ...]:
        wanted = "a list of lists of objects with node and port"
        if not isinstance(value, list) or not value:
            raise self._wrong(key, wanted)
        return tuple(self._port(key, each) for each in value)

    def _port(self, key: str, value: object) -> NodePort:
        wanted = 'made of objects with node (a regular expression) and port (a number): {"node": "mean$", "port": 0}'
        port = value.get("port") if isinstance(value, dict) else None
        if not isinstance(value, dict) or isinstance(port, bool) or not isinstance(port, int) or port < 0:
            raise self._wrong(key, wanted)
        return self._pattern(key, value.get("node"), wanted), port
