"""Forms of models and remarks that notebooks show.

All text is set through lxml, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.drawings.loops import draw_loops
from loomir.compiler.drawings.svg import HTML, printable
from loomir.compiler.feeds import ValueInfo
from loomir.compiler.summary import control_flow_tree, summarise
from loomir.dialects.diagnostics import Remark


def _text(*elements: etree._Element) -> str:
    return "".join(etree.tostring(each, encoding="unicode", method="html") for each in elements)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> etree._Element:
    """A table of text."""
    return HTML.table(
        HTML.thead(HTML.tr(*map(HTML.th, head))),
        HTML.tbody(*(HTML.tr(*(HTML.td(printable(cell)) for cell in row)) for row in rows)),
    )


class RemarkList(list[Remark]):
    """Remarks, such as `listening` collects, which a notebook shows as a table.

    >>> remarks = RemarkList()
    >>> with listening(remarks.append):
    ...     model = loomir.load("model.onnx")
    """

    def _repr_html_(self) -> str:
        rows = [(r.pass_name, r.kind, r.layer or "", r.operation, r.text) for r in self]
        return _text(table(("pass", "", "layer", "operation", "remark"), rows))


def model_html(
    name: str, stage: str, module: ModuleOp, inputs: Sequence[ValueInfo], outputs: Sequence[ValueInfo]
) -> str:
    """Return the summary of a model: ports, operations, loops and branches."""
    summary = summarise(module)
    ports = [("input", *_port(each)) for each in inputs]
    ports += [("output", *_port(each)) for each in outputs]
    operations = f"{sum(summary.operations.values())} operations, {summary.parameters:,} parameters"
    head = HTML.p(HTML.b(printable(name)), f" ({stage}): {operations}")
    return _text(head, table(("", "name", "type"), ports)) + draw_loops(control_flow_tree(module))


def _port(info: ValueInfo) -> tuple[str, str]:
    name, _, type_ = str(info).rpartition(": ")
    return name, type_
