"""ONNX's backend tests as OpenVINO IR that loomir writes, run by OpenVINO, beside what OpenVINO's own converter makes of them.

`python -m tests.conformance.exported_models [REGEX] [--for TARGET] [--update]` runs all (or those that match): each is loaded, written,
read back and written again (byte for byte the same), and run by OpenVINO in a process of its own; what it gives is compared with what ONNX
expects. `exported_models.toml` lists what does not agree, of loomir's files and of OpenVINO's.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from onnx.backend.test.case.test_case import TestCase as NodeTest
from xdsl.dialects.builtin import ModuleOp

import loomir
from loomir.compiler.feeds import Boundary
from loomir.compiler.feeds.specialising import feed_shape, set_feed_shapes, spread_feed
from loomir.compiler.formats.openvino.writer import SaveOptions, prepared
from loomir.compiler.model import Model
from loomir.dialects.interface import main_function, result_names, results_of
from loomir.errors import Error
from tests.conformance.onnx_suite import all_tests, contents, free_inputs
from tests.conformance.openvino_node_worker import store, stored
from tests.conformance.openvino_nodes import PROCESSES, Worker, compare, first_line, in_folders

LIST = Path(__file__).with_suffix(".toml")

HEAD = """# Which of ONNX's backend tests do not agree with ONNX's expectation when OpenVINO runs them: as loomir writes them,
# and as OpenVINO's own converter does. Made by `python -m tests.conformance.exported_models --update`; {total} tests, {made}.
"""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one test.

    `kind` is `agree`, or the stage that stopped it: `refused`, `unstable`, `unconvertible`, `unrunnable` or `disagree`. A crash of
    OpenVINO is `unrunnable`: its RDFT of axes that are fed reads memory that it did not set, and on one run of the same file it says
    why it stops, on another it dies.
    """

    kind: str
    why: str = ""


@dataclass(frozen=True)
class Pair:
    """One test, by loomir and by OpenVINO's converter."""

    name: str
    ours: Outcome
    theirs: Outcome


def run_tests(tests: Iterable[NodeTest], target: str | None = None) -> Iterator[Pair]:
    """Run the tests and yield both outcomes of each."""
    return in_folders(tests, partial(_pair, target=target))


def _pair(test: NodeTest, worker: Worker, folder: Path, target: str | None) -> Pair:
    source, data_sets = contents(test)
    inputs, expected = data_sets[0]
    feed = {i.name: v for i, v in zip(free_inputs(source), inputs)}
    names = [output.name for output in source.graph.output]
    tensors = all(isinstance(v, np.ndarray) for v in (*feed.values(), *expected))
    elements = [a for v in (*feed.values(), *expected) for a in _elements(v)]
    if any(a.dtype.kind in "OUSTc" for a in elements):
        return _both(test, Outcome("unconvertible", "strings and complex numbers"))
    shapes = {name: feed_shape(value) for name, value in feed.items()}
    spread: dict[str, Any] = feed if tensors else dict(spread_feed(feed, shapes))
    try:
        store(folder / "feed.npz", spread)
    except (TypeError, ValueError):
        return _both(test, Outcome("unconvertible", "an element type that OpenVINO does not take"))
    try:
        model = loomir.load(source)
        if not tensors:
            model = model.changed(lambda module: set_feed_shapes(module, shapes))
        ready = prepared(model.module, SaveOptions(target=target))
        ours = _written(model, folder, target) or _run(test, worker, folder, expected, ready, names)
    except Error as error:
        ours = Outcome("refused", f"[{error.identifier}] {first_line(error.what)}")
    if not tensors:
        return Pair(test.name, ours, Outcome("unconvertible", "sequences and optionals are no Parameters"))
    (folder / "model.onnx").write_bytes(source.SerializeToString())
    return Pair(test.name, ours, _run(test, worker, folder, expected))


def _elements(value: Any) -> list[np.ndarray]:
    """The arrays of a tensor, a sequence or an optional."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _both(test: NodeTest, outcome: Outcome) -> Pair:
    return Pair(test.name, outcome, outcome)


def _written(model: Model, folder: Path, target: str | None) -> Outcome | None:
    """Write a test's model; what went wrong, if anything. Errors: those of `Model.save`."""
    first, second = folder / "model.xml", folder / "again" / "model.xml"
    second.parent.mkdir()
    model.save(first, target=target)
    loomir.load(first, optimize=False).save(second)
    if any(first.with_suffix(s).read_bytes() != second.with_suffix(s).read_bytes() for s in (".xml", ".bin")):
        return Outcome("unstable", "read back and written again it is another file")
    return None


def _run(
    test: NodeTest,
    worker: Worker,
    folder: Path,
    expected: list[Any],
    ready: ModuleOp | None = None,
    outputs: Sequence[str] = (),
) -> Outcome:
    """Run the model in a folder with OpenVINO and return the outcome.

    For a model that loomir wrote, `ready` says which results are parts of which `outputs`.
    """
    answer = worker.ask(folder)
    for kind, outcome in (("crash", "unrunnable"), ("convert", "unconvertible"), ("run", "unrunnable")):
        if kind in answer:
            return Outcome(outcome, first_line(str(answer[kind])))
    given: list[Any] = list(stored(folder / "results.npz").values())
    if ready is not None:
        main = main_function(ready)
        names = [n for n, entry in zip(result_names(main), results_of(main)) if entry.state is None]
        made = Boundary.of(ready).assemble(dict(zip(names, given, strict=True)))
        given = [made[name] for name in outputs]
    lengths = [[len(v) if isinstance(v, list) else v is None for v in values] for values in (given, expected)]
    if lengths[0] != lengths[1]:
        return Outcome("disagree", "a sequence of another length")
    arrays = [[a for v in values for a in _elements(v)] for values in (given, expected)]
    problem = compare(arrays[0], arrays[1], test)
    return Outcome("agree") if problem is None else Outcome("disagree", problem)


def text_of(pairs: list[Pair], made: str) -> str:
    """The file: of either side, by kind and reason, the tests that do not agree."""
    lines = [HEAD.format(total=len(pairs), made=made)]
    for side in ("ours", "theirs"):
        outcomes = {p.name: getattr(p, side) for p in pairs}
        agreeing = sum(o.kind == "agree" for o in outcomes.values())
        lines.append(f"[{side}]\nagree = {agreeing}\n")
        groups: dict[tuple[str, str], list[str]] = {}
        for name, outcome in outcomes.items():
            if outcome.kind != "agree":
                groups.setdefault((outcome.kind, outcome.why), []).append(name)
        for (kind, why), names in sorted(groups.items()):
            listed = "".join(f"    {name!r},\n" for name in sorted(names)).replace("'", '"')
            shown = why.replace("\\", "/").replace('"', "'")
            lines.append(f'[[{side}.{kind}]]\nwhy = "{shown}"\ntests = [\n{listed}]\n')
    return "\n".join(lines)


def listed() -> dict[str, tuple[int, dict[str, str]]]:
    """The committed file: of either side how many agree, and the kind of each test that does not."""
    table = tomllib.loads(LIST.read_text())
    found: dict[str, tuple[int, dict[str, str]]] = {}
    for side in ("ours", "theirs"):
        groups = dict(table[side])
        agreeing = groups.pop("agree")
        found[side] = agreeing, {t: kind for kind, gs in groups.items() for g in gs for t in g["tests"]}
    return found


def _run_names(given: tuple[list[str], str | None]) -> list[Pair]:
    warnings.simplefilter("ignore")
    names, target = set(given[0]), given[1]
    return list(run_tests((t for name, t in all_tests().items() if name in names), target))


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--for", dest="target")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    pattern = re.compile(options.pattern)
    names = [name for name in all_tests() if pattern.search(name)]
    shares = [(names[k::PROCESSES], options.target) for k in range(PROCESSES)]
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("fork")) as pool:
        pairs = sorted((p for part in pool.map(_run_names, shares) for p in part), key=lambda p: p.name)
    text = text_of(
        pairs, f"for {options.target}" if options.target else "for no version of OpenVINO in particular"
    )
    if options.update:
        LIST.write_text(text)
    else:
        print(text)
    for side in ("ours", "theirs"):
        print(f"{side}: {sum(getattr(p, side).kind == 'agree' for p in pairs)} of {len(pairs)} agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
