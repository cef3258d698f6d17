"""The ONNX node models as OpenVINO converts and saves them, read by loomir and written again: OpenVINO gives the same of both.

`python -m tests.conformance.openvino_nodes_again [REGEX]` runs all (or those that match): each is read, written, read back and written
once more, byte for byte the same, and run by OpenVINO as it was and as it is written. Exit status 1 where anything is otherwise that
`openvino_nodes_again.toml` does not explain.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx.backend.test.case.test_case import TestCase as NodeTest

import loomir
from loomir.errors import Error
from tests.conformance.onnx_suite import as_array, node_tests
from tests.conformance.openvino_node_worker import store, stored
from tests.conformance.openvino_nodes import PROCESSES, Worker, compare, first_line, in_folders

EXPLAINED = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Outcome:
    """Outcome of one test.

    `kind` is `same`; `unconverted` or `unrunnable` if OpenVINO stopped at the original; `refused`, `unstable` or
    `differs` if the fault is loomir's.
    """

    name: str
    kind: str
    why: str = ""


OURS = ("refused", "unstable", "differs")
"""Kinds of outcome that require an explanation."""


def run_tests(tests: Iterable[NodeTest]) -> Iterator[Outcome]:
    """Run the tests and yield the outcome of each."""
    return in_folders(tests, _outcome)


def _outcome(test: NodeTest, worker: Worker, folder: Path) -> Outcome:
    assert test.model is not None
    assert test.data_sets is not None
    inputs, _ = test.data_sets[0]
    feed = {i.name: as_array(v) for i, v in zip(test.model.graph.input, inputs)}
    if not all(isinstance(a, np.ndarray) and a.dtype.kind not in "OUSTc" for a in feed.values()):
        return Outcome(test.name, "unconverted", "no Parameter takes its inputs")
    (folder / "model.onnx").write_bytes(test.model.SerializeToString())
    try:
        store(folder / "feed.npz", feed)
    except (TypeError, ValueError):
        return Outcome(test.name, "unconverted", "an element type that OpenVINO does not take")
    answer = worker.ask(folder)
    if "convert" in answer or not isinstance(names := answer.get("inputs"), list):
        return Outcome(test.name, "unconverted", first_line(str(answer.get("convert", answer.get("crash")))))
    again = folder / "again"
    again.mkdir()
    store(again / "feed.npz", {str(name): feed[name] for name in names})
    try:
        first, second = again / "model.xml", again / "once-more" / "model.xml"
        second.parent.mkdir()
        loomir.load(folder / "model.xml").save(first)
        loomir.load(first, optimize=False).save(second)
    except Error as error:
        return Outcome(test.name, "refused", f"[{error.identifier}] {first_line(error.what)}")
    pairs = ((first, second), (first.with_suffix(".bin"), second.with_suffix(".bin")))
    if any(a.read_bytes() != b.read_bytes() for a, b in pairs):
        return Outcome(test.name, "unstable", "read back and written again it is another file")
    if "run" in answer or "crash" in answer:
        return Outcome(test.name, "unrunnable", first_line(str(answer.get("run", answer.get("crash")))))
    answer = worker.ask(again)
    for kind in ("crash", "convert", "run"):
        if kind in answer:
            return Outcome(test.name, "differs", f"{kind}: {first_line(str(answer[kind]))}")
    results = [list(stored(f / "results.npz").values()) for f in (again, folder)]
    problem = compare(results[0], results[1], test, oracle=True)
    return Outcome(test.name, "same" if problem is None else "differs", problem or "")


def explanations() -> dict[str, list[str]]:
    """Of each kind, expressions for the names of tests that are so for a reason that the file gives."""
    table = tomllib.loads(EXPLAINED.read_text())
    found: dict[str, list[str]] = {}
    for reason in table.get("reason", []):
        found.setdefault(reason["kind"], []).extend(reason["tests"])
    return found


def unexplained(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the outcomes of the kinds in `OURS` that have no explanation."""
    known = explanations()
    return [
        o
        for o in outcomes
        if o.kind in OURS and not any(re.fullmatch(e, o.name) for e in known.get(o.kind, []))
    ]


def _run_names(names: list[str]) -> list[Outcome]:
    warnings.simplefilter("ignore")
    wanted = set(names)
    return list(run_tests(t for t in node_tests() if t.name in wanted))


def main() -> int:
    """Entry point."""
    pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
    names = [t.name for t in node_tests() if pattern.search(t.name)]
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("fork")) as pool:
        parts = pool.map(_run_names, [names[k::PROCESSES] for k in range(PROCESSES)])
        outcomes = sorted((o for part in parts for o in part), key=lambda o: o.name)
    for kind, count in sorted(Counter(o.kind for o in outcomes).items()):
        print(f"{kind}: {count}")
    wrong = unexplained(outcomes)
    for o in wrong:
        print(f"{o.name}: {o.kind}: {o.why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
