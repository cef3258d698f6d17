"""The one exception that loomir raises for anything a user can cause.

Every user error carries an identifier that documentation and tests refer to, says where it happened and
what is wrong, and, where there is something to do, what to do. The tools print `str(error)` and exit with 1;
an exception of any other class that reaches a user is a bug of ours.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Where:
    """The place that an error is about; every part is optional.

    `file` is a path as the user gave it, `layer` the name (or id) of an OpenVINO layer or ONNX node, `op` its
    operator type, such as `Loop` or `ov.loop`.
    """

    file: str | None = None
    layer: str | None = None
    op: str | None = None

    def __str__(self) -> str:
        place = ""
        if self.layer is not None:
            place = f"'{self.layer}'"
        if self.op is not None:
            place = f"{place} ({self.op})" if place else self.op
        return ": ".join(part for part in (self.file, place) if part)


class Error(Exception):
    """A user error: `identifier` names its class, `what` is wrong, `hint` says what to do.

    Identifiers are kebab-case and literal at the place that raises them, so that a test can list them all.
    An error raised deep inside may not know its file or layer: whoever knows adds it with `at`.

    >>> print(Error("unknown-operator", "no operator 'Foo' in opset1", file="a.xml", layer="x", op="Foo"))
    a.xml: 'x' (Foo): no operator 'Foo' in opset1 [unknown-operator]
    """

    identifier: str
    what: str
    where: Where
    hint: str | None

    def __init__(
        self,
        identifier: str,
        what: str,
        *,
        file: str | None = None,
        layer: str | None = None,
        op: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(what)
        self.identifier = identifier
        self.what = what
        self.where = Where(file, layer, op)
        self.hint = hint

    def at(self, *, file: str | None = None, layer: str | None = None, op: str | None = None) -> Error:
        """Fill in the parts of the place that are not known yet, and return the error itself."""
        self.where = Where(self.where.file or file, self.where.layer or layer, self.where.op or op)
        return self

    def __str__(self) -> str:
        head = ": ".join(part for part in (str(self.where), f"{self.what} [{self.identifier}]") if part)
        return f"{head}\n  {self.hint}" if self.hint else head
