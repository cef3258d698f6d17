"""By which names the nodes of each operator go in the later phases, in the Model Optimizer and in loomir.

    make model-optimizer-names      # python -m tests.model_optimizer.names PATH/TO/python

asks the Model Optimizer (the Python of an environment with openvino-dev 2024.6.0) for each model of `name_cases.py`, keeps what it says
in `names.json`, and writes docs/model-optimizer-names.md; without a Python only the page. What is compared are `op` and `type` of all
nodes but constants, inputs and results, at the end of the middle and of the back phase.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import onnx

import loomir
from tests.mo_oracle import fixture, write_fixture
from tests.model_optimizer.extension_cases import DUMP
from tests.model_optimizer.name_cases import OPERATORS, REASONS, model

FIXTURE = "names.json"
PAGE = Path(__file__).parents[2] / "docs" / "model-optimizer-names.md"
PHASES = ("middle", "back")

Names = Mapping[str, Mapping[str, int] | None]
"""By phase how many nodes of each `op` and `type` there are; None where the Model Optimizer fails."""


def names_in(folder: Path) -> Names:
    """Return the node counts that the dumping extension wrote for each phase."""
    return {phase: _counted(folder / f"{phase}.json") for phase in PHASES}


def _counted(file: Path) -> dict[str, int] | None:
    return dict(sorted(Counter(_nodes(json.loads(file.read_text()), "")).items())) if file.exists() else None


def _nodes(graph: Mapping[str, Any], place: str) -> Iterator[str]:
    for node in graph.values():
        if node["op"] not in ("Const", "Parameter", "Result") and not _keeps_a_name(graph, node):
            yield f"{place}{node['op']} / {node['type']}"
        for name, inner in node["graphs"].items():
            yield from _nodes(inner, f"{place}{name}: ")


def _keeps_a_name(graph: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Return True if a node only keeps the name of an output.

    In the Model Optimizer such a node is a FakeOutput, in the back phase the sum with zero.
    """
    if node["op"] == "FakeOutput":
        return True
    added = node["inputs"].get("1") if node["op"] == "Add" else None
    return (
        added is not None
        and node["attributes"].get("can_be_fused") is False
        and graph[added[0]]["op"] == "Const"
        and graph[added[0]]["attributes"].get("value") in (0, False)
    )


def asked(python: str, operator: str) -> Names:
    """Return the Model Optimizer's node counts for an operator.

    All phases come before the point where it may fail to write IR of the model.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "model.onnx"
        onnx.save(model(operator), source)
        subprocess.run(
            [
                *(python, "-m", "openvino.tools.mo", "--use_legacy_frontend", "--input_model", str(source)),
                *("--extensions", str(DUMP), "--output_dir", folder),
            ],
            env={**os.environ, "DUMP_TO": folder, "PYTHONPATH": str(DUMP.parent)},
            capture_output=True,
            check=False,
        )
        return names_in(Path(folder))


def answered(operator: str) -> Names:
    """Return loomir's node counts for an operator.

    Errors: those of the conversion.
    """
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, DUMP_TO=folder):
        loomir.convert(model(operator), mo_extensions=[DUMP])
        return names_in(Path(folder))


def answers() -> dict[str, Names]:
    """Return loomir's node counts for all operators; None for refused ones."""
    found: dict[str, Names] = {}
    for operator in OPERATORS:
        try:
            found[operator] = answered(operator)
        except loomir.Error as error:
            if error.identifier != "unsupported-operator":
                raise
            found[operator] = dict.fromkeys(PHASES)
    return found


def page(ours: Mapping[str, Names], theirs: Mapping[str, Names]) -> str:
    """The page of the documentation."""
    equal = [operator for operator in OPERATORS if ours[operator] == theirs[operator]]
    lines = [
        "# Names of operations in the later phases",
        "",
        "Extensions find nodes by `op` and `type`. For each of the operators of ONNX that the Model Optimizer (2024.6) has an extractor",
        "for, a model of that one operator was converted by it and by loomir, and the nodes at the end of the middle and of the back phase",
        "were compared. Made by `make model-optimizer-names`; constants, inputs, results, and what keeps the name of an output",
        "in the Model Optimizer (`FakeOutput`, later an `Add` of zero) are left out.",
        "",
        f"## The same in both: {len(equal)} of {len(OPERATORS)}",
        "",
        "| operator | middle: op / type | back: op / type, where it is another |",
        "|---|---|---|",
    ]
    for operator in equal:
        middle, back = (_shown(ours[operator][phase]) for phase in PHASES)
        lines.append(f"| {operator} | {middle} | {back if back != middle else ''} |")
    lines += [
        "",
        f"## Others: {len(OPERATORS) - len(equal)}",
        "",
        "| operator | phase | Model Optimizer | loomir | why |",
        "|---|---|---|---|---|",
    ]
    for operator in OPERATORS:
        told = [phase for phase in PHASES if ours[operator][phase] != theirs[operator][phase]]
        both = {phase: (_shown(theirs[operator][phase]), _shown(ours[operator][phase])) for phase in told}
        if len(set(both.values())) == 1 and len(told) == 2:
            both = {"both": both["middle"]}
        for phase, (there, here) in both.items():
            lines.append(f"| {operator} | {phase} | {there} | {here} | {REASONS.get(operator, '')} |")
    return "\n".join([*lines, ""])


def _shown(names: Mapping[str, int] | None) -> str:
    if names is None:
        return "(refused)"
    shown = [f"{name} × {count}" if count > 1 else name for name, count in names.items()]
    return ", ".join(name.replace(" / None", " / (none)") for name in shown) or "(nothing)"


def main(python: str | None) -> None:
    if python is not None:
        with ThreadPoolExecutor(2) as pool:
            found = pool.map(partial(asked, python), OPERATORS)
            write_fixture(FIXTURE, dict(zip(OPERATORS, found)), made_with="openvino-dev 2024.6.0")
    PAGE.write_text(page(answers(), fixture(FIXTURE)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
