"""Runs ONNX's backend tests and keeps the list of those that do not pass, with the reasons.

`make conformance` runs all of them in two processes, native code for the machine that users get, and compares with
`onnx_suite.toml`, which names every test that does not pass as it is; with `--machines` and `--compilers` in native code for each of
these. `python -m tests.conformance.onnx_suite --update` writes that file; what a person wrote there as `why` stays. A test that is in
no group passes.

A test has two attempts. Below GRAPH every shape needs a bound, some operators need their axis when the model is imported,
and many node tests give axes, shapes or pads as inputs of the model. A test that fails for such a reason runs again with
these inputs fixed by `values=`, and if it passes then, is counted apart: `passed-fixed`. Inputs count as parameters if they
have at most one dimension; of floats not the first one, and never all inputs.

Outputs are compared by ONNX's own runner with the tolerance of each test; integers and booleans must be equal beyond that.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import tempfile
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.test_case import TestCase as NodeTest
from onnx.backend.test.runner import Runner

from loomir.compiler.model import Engine
from loomir.compiler.onnx_backend import prepare
from loomir.dialects.element_types import element_of, has_element, is_storage, is_storage_integer
from loomir.errors import Error
from loomir.tools.fuzz.builds import Build, builds
from loomir.tools.progress import progress

LIST = Path(__file__).with_suffix(".toml")
ENGINES: tuple[Engine, ...] = ("graph", "native")

UNSUPPORTED = {
    "unsupported-operator",
    "unknown-operator",
    "unsupported-type",
    "unsupported-attribute",
    "unsupported-output",
    "graph-only-type",
}
"""Errors that refuse an operator, an element type or a variant by name."""

UNBOUNDED = {
    "unbounded-shape",
    "unbounded-trips",
    "unresolved-rank",
    "unknown-rank",
    "unknown-length",
    "unknown-axes",
}
"""Errors of what needs to know more of the model's inputs."""

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
"""The tests that come with the package."""


@dataclass(frozen=True)
class Outcome:
    """How a test ended: `passed`, `passed-fixed`, `unsupported`, `unbounded` or `failed`, and why."""

    state: str
    identifier: str = ""
    reason: str = ""


Change = Callable[[onnx.ModelProto], onnx.ModelProto]
"""Transformation of a test's model into an equivalent one."""

Key = tuple[str, str, str, str]
"""Engine, state, identifier and reason: what a group of tests has in common."""


@cache
def all_tests() -> dict[str, NodeTest]:
    """ONNX's tests by name."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {test.name: test for kind in KINDS for test in load_model_tests(kind=kind)}


def node_tests() -> list[NodeTest]:
    """Only the tests of one node each."""
    return [test for test in all_tests().values() if test.kind == "node"]


def as_array(value: object) -> Any:
    """A tensor as an array; sequences stay lists."""
    if isinstance(value, list):
        return [as_array(v) for v in value]
    return (
        numpy_helper.to_array(value)
        if isinstance(value, onnx.TensorProto)
        else value
        if value is None
        else np.asarray(value)
    )


def contents(test: NodeTest) -> tuple[onnx.ModelProto, list[tuple[list[Any], list[Any]]]]:
    """The model and its data sets: in the test itself, or in a folder of the package."""
    if test.model is not None:
        assert test.data_sets is not None
        return test.model, [([as_array(v) for v in i], [as_array(v) for v in o]) for i, o in test.data_sets]
    assert test.model_dir is not None
    folder = Path(test.model_dir)
    model = onnx.load(folder / "model.onnx")
    sets: list[tuple[list[Any], list[Any]]] = []
    for data in sorted(folder.glob("test_data_set_*")):
        sets.append(
            (_read_all(data, "input", free_inputs(model)), _read_all(data, "output", model.graph.output))
        )
    return model, sets


def free_inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The inputs that are not initialisers at the same time."""
    defaults = {t.name for t in model.graph.initializer}
    return [i for i in model.graph.input if i.name not in defaults]


def _read_all(folder: Path, what: str, infos: Iterable[onnx.ValueInfoProto]) -> list[Any]:
    return [_read(folder / f"{what}_{index}.pb", info) for index, info in enumerate(infos)]


def _read(path: Path, info: onnx.ValueInfoProto) -> Any:
    proto: Any = onnx.SequenceProto() if info.type.HasField("sequence_type") else onnx.TensorProto()
    proto.ParseFromString(path.read_bytes())
    return (
        numpy_helper.to_list(proto) if isinstance(proto, onnx.SequenceProto) else numpy_helper.to_array(proto)
    )


def is_parameter(value: Any) -> bool:
    """Return True if an input may be a parameter of its operator.

    Such inputs are axes, a shape, a number of elements or the scale of a tensor.
    """
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim <= 1


def parameters(feed: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that are parameters; never all of them, and the first one only if it counts something."""
    found = {
        name: value
        for index, (name, value) in enumerate(feed.items())
        if is_parameter(value) and (index > 0 or value.dtype.kind != "f")
    }
    if len(found) == len(feed):
        del found[next(iter(found))]
    return found


def attempt(test: NodeTest, engine: Engine, *, fix: bool = False, change: Change | None = None) -> Outcome:
    """Run a test once; `fix` makes constants of the parameters among its inputs, `change` another model of its model."""
    model, data_sets = contents(test)
    model = change(model) if change else model
    names = [i.name for i in free_inputs(model)]
    try:
        for inputs, expected in data_sets:
            values = parameters(dict(zip(names, inputs))) if fix else {}
            actual = list(prepare(model, engine=engine, values=values).run(inputs))
            for a, e in zip(actual, expected):
                assert not isinstance(e, np.ndarray) or a.dtype == e.dtype, f"{a.dtype}, not {e.dtype}"
            Runner.assert_similar_outputs(_boxed(expected), _boxed(actual), test.rtol, test.atol, test.name)
            for a, e in zip(actual, expected):
                if isinstance(e, np.ndarray) and e.dtype.kind in "biu":
                    np.testing.assert_array_equal(a, e)
                elif isinstance(e, list):
                    for x, y in zip(a, e, strict=True):
                        if y.dtype.kind in "biu":
                            np.testing.assert_array_equal(x, y)
    except Error as error:
        state = (
            "unsupported"
            if error.identifier in UNSUPPORTED
            else "unbounded"
            if error.identifier in UNBOUNDED
            else "failed"
        )
        return Outcome(state, error.identifier, _general(error.what, model))
    except AssertionError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return Outcome("failed", "differs" if lines else "assertion", lines[0] if lines else repr(error))
    except Exception as error:
        return Outcome(
            "failed", "crash", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        )
    return Outcome("passed")


def _boxed(outputs: Sequence[Any]) -> list[Any]:
    """Each element of a sequence in a list of its own: ONNX's runner takes it for a list of outputs, and not for an array.

    Floats of ml_dtypes as the same numbers in f32, for with numpy 1 the runner cannot compare them.
    """
    return [[[e] for e in output] if isinstance(output, list) else _wide(output) for output in outputs]


def _wide(output: Any) -> Any:
    if not isinstance(output, np.ndarray) or not has_element(output.dtype):
        return output
    element = element_of(output.dtype)
    return output.astype(np.float32) if is_storage(element) and not is_storage_integer(element) else output


def _general(what: str, model: onnx.ModelProto) -> str:
    """A message without the names that differ from test to test."""
    return re.sub(r"'[^']*'", "'…'", " ".join(what.split()))


def run(name: str, engine: Engine, change: Change | None = None) -> Outcome:
    """A test with both attempts."""
    test = all_tests()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = attempt(test, engine, change=change)
        if first.state != "unbounded":
            return first
        second = attempt(test, engine, fix=True, change=change)
    if second.state == "passed":
        return Outcome("passed-fixed", first.identifier, first.reason)
    return second


def run_many(
    names: Iterable[str], engine: Engine, processes: int = 2, build: Build | None = None
) -> dict[str, Outcome]:
    """Many tests, in processes of their own; native code in this build (default: the one that users get)."""
    names = list(names)
    all_tests()  # made once: the processes inherit it, and the environment
    with (
        (build or Build()).chosen(),
        ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool,
    ):
        found = pool.map(run, names, [engine] * len(names), chunksize=8)
        with progress(f"backend tests, {engine}", len(names)) as shown:
            outcomes: dict[str, Outcome] = {}
            for name, outcome in zip(names, found):
                outcomes[name] = outcome
                shown.advance()
            return outcomes


# -- the list


def read_list(path: Path = LIST) -> tuple[str, dict[tuple[str, str], Outcome], dict[Key, str]]:
    """ONNX's version, what is known of each test that does not pass as it is, and what people wrote of the groups."""
    data = tomllib.loads(path.read_text()) if path.exists() else {}
    outcomes: dict[tuple[str, str], Outcome] = {}
    notes: dict[Key, str] = {}
    for group in data.get("group", []):
        for engine in group["engines"]:
            if why := group.get("why"):
                notes[engine, group["state"], group["identifier"], group["reason"]] = why
            for name in group["tests"]:
                outcomes[engine, name] = Outcome(group["state"], group["identifier"], group["reason"])
    return data.get("onnx", ""), outcomes, notes


def write_list(
    outcomes: Mapping[tuple[str, str], Outcome], notes: Mapping[Key, str], path: Path = LIST
) -> None:
    """Tests grouped by engines, state and reason; equal groups of both engines are one."""
    groups: dict[tuple[tuple[str, ...], str, str, str], list[str]] = {}
    for name in sorted({n for _, n in outcomes}):
        found = {e: o for e in ENGINES if (o := outcomes.get((e, name))) is not None and o.state != "passed"}
        if len(found) == len(ENGINES) and len(set(found.values())) == 1:
            o = found[ENGINES[0]]
            groups.setdefault((ENGINES, o.state, o.identifier, o.reason), []).append(name)
            continue
        for engine, o in found.items():
            groups.setdefault(((engine,), o.state, o.identifier, o.reason), []).append(name)
    total = len({n for _, n in outcomes})
    lines = [
        "# ONNX's backend tests that do not pass as they are. Written by `make conformance-update`; only `why` is written by hand.",
        "# passed-fixed: passes with the axes, shapes and pads among its inputs fixed by `values=`.",
        f'onnx = "{onnx.__version__}"',
        f"tests = {total}",
    ]
    for engine in ENGINES:
        counts = Counter(o.state for (e, _), o in outcomes.items() if e == engine)
        lines.append(f"{engine} = {{ {', '.join(f'{s} = {counts[s]}' for s in sorted(counts))} }}")
    order = {"failed": 0, "unbounded": 1, "unsupported": 2, "passed-fixed": 3}
    for key in sorted(groups, key=lambda k: (order[k[1]], k[2], k[3], k[0])):
        engines, state, identifier, reason = key
        lines += ["", "[[group]]", f"engines = {_text(list(engines))}", f"state = {_text(state)}"]
        lines += [f"identifier = {_text(identifier)}", f"reason = {_text(reason)}"]
        why = next(
            (notes[e, state, identifier, reason] for e in engines if (e, state, identifier, reason) in notes),
            None,
        )
        if why:
            lines.append(f"why = {_text(why)}")
        lines += ["tests = [", *(f"    {_text(name)}," for name in groups[key]), "]"]
    path.write_text("\n".join(lines) + "\n")


def _text(value: str | Sequence[str]) -> str:
    import json

    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "[" + ", ".join(_text(v) for v in value) + "]"


def changes(
    outcomes: Mapping[tuple[str, str], Outcome], known: Mapping[tuple[str, str], Outcome]
) -> tuple[list[str], list[str]]:
    """Return the outcomes worse than the list, and all other changes.

    The second list has the outcomes that are better or merely different.
    """
    rank = {"failed": 0, "unbounded": 1, "unsupported": 1, "passed-fixed": 2, "passed": 3}
    worse: list[str] = []
    better: list[str] = []
    for (engine, name), outcome in outcomes.items():
        before = known.get((engine, name), Outcome("passed"))
        if before.state == outcome.state:
            continue
        line = f"{name} in {engine}: {before.state} → {outcome.state}"
        if outcome.reason:
            line += f": {outcome.reason} [{outcome.identifier}]"
        (worse if rank[outcome.state] < rank[before.state] else better).append(line)
    return worse, better


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where a test is worse than the list says or the list is out of date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "pattern", nargs="?", default="", help="a regular expression: only tests whose names match"
    )
    parser.add_argument("--engine", choices=ENGINES, action="append", help="default: both")
    parser.add_argument("--update", action="store_true", help="write the list")
    parser.add_argument("--machines", metavar="M,…", help="only native code, for each of these")
    parser.add_argument("--compilers", metavar="CC,…", help="by each of these (default: gcc, clang)")
    options = parser.parse_args(arguments)
    version, known, notes = read_list()
    if version and version != onnx.__version__ and not options.update:
        print(f"the list is of onnx {version}, this is {onnx.__version__}: tests may be new or gone")
    if options.machines:
        return run_builds(options, known)
    engines: Sequence[Engine] = options.engine or ENGINES
    names = matching(options.pattern)
    outcomes: dict[tuple[str, str], Outcome] = {}
    for engine in engines:
        start = time.perf_counter()
        found = run_many(names, engine)
        outcomes |= {(engine, name): outcome for name, outcome in found.items()}
        tell(engine, found, time.perf_counter() - start)
    if options.update:
        kept = {k: o for k, o in known.items() if k not in outcomes and k[1] in all_tests()}
        passing = {(e, n): Outcome("passed") for e in ENGINES for n in all_tests()}
        write_list({**passing, **kept, **outcomes}, notes)
        return 0
    return tell_changes(outcomes, known)


def matching(pattern: str) -> list[str]:
    """The tests whose names match."""
    return sorted(n for n in all_tests() if re.search(pattern, n))


def run_builds(options: argparse.Namespace, known: Mapping[tuple[str, str], Outcome]) -> int:
    """The tests in native code of each build, all of which have to do what the list says of it."""
    chosen = builds(
        options.machines.split(","), options.compilers and options.compilers.split(","), flags=("O2",)
    )
    names, status = matching(options.pattern), 0
    for build in chosen:
        start = time.perf_counter()
        # (What is compiled is not kept: some 2,000 libraries for each build.)
        with tempfile.TemporaryDirectory() as cache, patch.dict(os.environ, XDG_CACHE_HOME=cache):
            found = run_many(names, "native", build=build)
        what = f"{build}" if build.runs else f"{build} (not this processor's: compiled for any)"
        tell(what, found, time.perf_counter() - start)
        status |= tell_changes({("native", name): outcome for name, outcome in found.items()}, known)
    return status


def tell(what: str, found: Mapping[str, Outcome], seconds: float) -> None:
    """How many tests ended how."""
    counts = Counter(o.state for o in found.values())
    text = f"{counts['passed']} passed as they are + {counts['passed-fixed']} with parameters fixed"
    text += (
        f", {counts['failed']} failed, {counts['unsupported']} unsupported, {counts['unbounded']} unbounded"
    )
    print(f"{what}: {text}, of {len(found)} in {seconds:.0f} s", flush=True)


def tell_changes(
    outcomes: Mapping[tuple[str, str], Outcome], known: Mapping[tuple[str, str], Outcome]
) -> int:
    """Print what the list says otherwise; 1 where there is anything."""
    worse, better = changes(outcomes, known)
    for title, lines in (("worse than the list says", worse), ("better or otherwise", better)):
        if lines:
            print(f"{title}:", *lines, sep="\n  ", flush=True)
    return 1 if worse or better else 0


if __name__ == "__main__":
    sys.exit(main())
