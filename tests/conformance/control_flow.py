"""ONNX's backend tests of control flow: which ones they are, found in the models that the installed package holds.

`control_flow.toml` has their names, so that none is lost unseen when a package changes. `python -m
tests.conformance.control_flow` writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import onnx
from onnx import AttributeProto, ModelProto, NodeProto

from tests.conformance.onnx_suite import all_tests, contents

LIST = Path(__file__).with_suffix(".toml")

REGIONS = {"Loop", "If", "Scan", "SequenceMap"}
RECURRENT = {"LSTM", "GRU", "RNN"}
SEQUENCES = {"SplitToSequence", "ConcatFromSequence"}

GROUPS = {
    "control-flow": "with a Loop, If, Scan or SequenceMap in the graph or a function",
    "recurrent": "with an LSTM, GRU or RNN",
    "sequences": "with an operator on sequences or optionals",
    "containers": "with sequences or optionals for inputs or outputs only",
}
"""Feature shared by the tests of each group.

A test belongs to the first group that fits.
"""


def find() -> dict[str, list[str]]:
    """The tests of each group, by what their models hold."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, test in sorted(all_tests().items()):
        group = _group(contents(test)[0])
        if group is not None:
            groups[group].append(name)
    return groups


def listed() -> dict[str, list[str]]:
    """The tests of each group as the file has them."""
    data = tomllib.loads(LIST.read_text())
    return {group: data[group]["tests"] for group in GROUPS}


def write() -> None:
    """Write the file."""
    lines = [
        "# ONNX's backend tests of control flow. All pass in graph and native, as they are and with every name replaced.",
        "# Written by `python -m tests.conformance.control_flow`.",
        f'onnx = "{onnx.__version__}"',
    ]
    for group, tests in find().items():
        lines += ["", f"# {len(tests)} {GROUPS[group]}", f"[{group}]", "tests = ["]
        lines += [*(f'    "{name}",' for name in tests), "]"]
    LIST.write_text("\n".join(lines) + "\n")


def _group(model: ModelProto) -> str | None:
    operators = {node.op_type for node in nodes_of(model.graph.node)}
    for function in model.functions:
        operators |= {node.op_type for node in nodes_of(function.node)}
    if operators & REGIONS:
        return "control-flow"
    if operators & RECURRENT:
        return "recurrent"
    if operators & SEQUENCES or any(o.startswith(("Sequence", "Optional")) for o in operators):
        return "sequences"
    kinds = {value.type.WhichOneof("value") for value in (*model.graph.input, *model.graph.output)}
    return "containers" if kinds & {"sequence_type", "optional_type"} else None


def nodes_of(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """The nodes, and those of the graphs in their attributes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from nodes_of(attribute.g.node)
            for graph in attribute.graphs:
                yield from nodes_of(graph.node)


if __name__ == "__main__":
    write()
