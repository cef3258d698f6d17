"""Findings: failures in reproducible files, and tables of results.

Reduced programs are written to files that reproduce a failure without the fuzzer:

| file | what it is |
|---|---|
| `NAME.onnx`, `NAME.onnxtxt` | the model |
| `NAME.xml`, `NAME.bin` | the same as OpenVINO IR, where that can be said in it |
| `NAME.npz` | the feeds, as `<call>/<input>` |
| `NAME.txt` | what failed where, and how to repeat it with the program as it was made |
| `test_NAME.py` | a regression test: the model's text and the feeds are in it |

The tables are for a terminal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from rich.box import SIMPLE_HEAD
from rich.table import Table

from loomir.compiler.extensions import named_sources
from loomir.compiler.files import write_arrays
from loomir.compiler.model import ENGINES
from loomir.compiler.pipeline import pass_instances
from loomir.compiler.pipeline_syntax import pass_text
from loomir.tools.fuzz import Loop, Op, Program, size_of, walk
from loomir.tools.fuzz.builds import Build
from loomir.tools.fuzz.levels import ORDERS
from loomir.tools.fuzz.onnx_oracle import to_onnx
from loomir.tools.fuzz.openvino_layers import NotExpressible
from loomir.tools.fuzz.runner import FuzzOptions, Summary, concerned, try_again
from loomir.tools.fuzz.shrinking import reduce_program
from loomir.tools.fuzz.to_openvino import to_openvino
from loomir.tools.fuzz.trial import Report, TrialFailure


@dataclass(frozen=True)
class Finding:
    """A failure with the smallest program found that shows it."""

    index: int
    level: str
    failure: TrialFailure
    program: Program
    statements_before: int
    also_without: bool = False
    """True if it fails without the passes under test, too."""

    @property
    def name(self) -> str:
        """A name for files and tests."""
        return re.sub(r"\W+", "_", f"{self.program.name}_{self.level}_{self.failure.engine}").lower()


def worth_reducing(
    failures: Sequence[tuple[Report, TrialFailure]], most: int
) -> list[tuple[Report, TrialFailure]]:
    """Return at most `most` failures, ordered to cover each sort first.

    One failure of each sort (engine, kind) comes first, then a second one of each, and so on. Each program occurs only
    once.
    """
    seen: Counter[tuple[str, str]] = Counter()
    ranked: list[tuple[int, int, Report, TrialFailure]] = []
    taken: set[int] = set()
    for order, (report, failure) in enumerate(failures):
        if report.index not in taken:
            taken.add(report.index)
            ranked.append((seen[failure.key], order, report, failure))
            seen[failure.key] += 1
    return [(r, f) for _, _, r, f in sorted(ranked, key=lambda item: item[:2])][:most]


def reduce_failure(
    options: FuzzOptions, report: Report, failure: TrialFailure, *, max_checks: int = 300
) -> Finding:
    """Reduce the program of a failure as far as possible.

    Every candidate runs in a process of its own.
    """
    program = options.program(report.index)
    build = build_of(options, report.index, failure)
    plan = concerned(options.plan, failure)
    narrow = replace(options, level=report.level, plan=plan, builds=(build,), every_build=False)
    before = {f.key for f in report.failures}
    latest = failure

    def is_bad(candidate: Program) -> bool:
        nonlocal latest
        # What had agreed must go on agreeing, else it is another failure, maybe the oracle's.
        found = {f.key: f for f in try_again(narrow, report.index, candidate).failures}
        alike = failure.key in found and set(found) <= before and oracle_is_right(candidate)
        if alike:
            latest = found[failure.key]
        return alike

    small = reduce_program(program, is_bad, max_checks=max_checks) if is_bad(program) else program
    also_without = options.passes is not None and failure.key in {
        f.key for f in try_again(replace(narrow, passes=None), report.index, small).failures
    }
    return Finding(report.index, report.level, latest, small, size_of(program.body), also_without)


def build_of(options: FuzzOptions, index: int, failure: TrialFailure) -> Build:
    """Return the build that failed.

    If the failure was not in native code, return the build whose machine the interpreters ran for.
    """
    builds = options.builds_of(index)
    return next((b for b in builds if failure.engine == f"native {b}"), builds[0])


def oracle_is_right(program: Program) -> bool:
    """Return True if ONNX Runtime ends every loop of the program correctly.

    A loop without a condition must not have a body whose condition may be anything but true: ONNX Runtime ends such a loop,
    against the specification.
    """
    statements = [s for _, s in walk(program.body)]
    true = {
        s.outputs[0]
        for s in statements
        if isinstance(s, Op) and s.kind == "Constant" and np.all(s.attributes["value"])
    }
    return all(
        s.condition is not None or s.body.results[0] in true | {s.body.parameters[1]}
        for s in statements
        if isinstance(s, Loop)
    )


def write_finding(options: FuzzOptions, finding: Finding, folder: Path) -> list[Path]:
    """Write the files of a finding; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    model = to_onnx(finding.program)
    stem = folder / finding.name
    written = [stem.with_suffix(s) for s in (".onnx", ".onnxtxt", ".npz", ".txt")]
    onnx.save(model, written[0])
    written[1].write_text(onnx.printer.to_text(model) + "\n")
    arrays = {f"{k}/{n}": a for k, feed in enumerate(finding.program.feeds) for n, a in feed.items()}
    write_arrays(written[2], arrays)
    written[3].write_text(describe(options, finding))
    with suppress(NotExpressible):
        written.append(to_openvino(finding.program).save(stem.with_suffix(".xml")))
    test = folder / f"test_{finding.name}.py"
    test.write_text(test_of(options, finding, onnx.printer.to_text(model)))
    return [*written, test]


_WITHOUT = {False: "agrees", True: "fails, too: the passes under test are not the reason"}


def describe(options: FuzzOptions, finding: Finding) -> str:
    """Return a textual description of a failure."""
    failure = finding.failure
    return "\n".join(
        [
            f"program {finding.program.name}, level {finding.level}: {failure.engine}, {failure.kind}",
            failure.text,
            f"reduced from {finding.statements_before} statements to {size_of(finding.program.body)}",
            *_order(options, finding),
            *([f"without -p it {_WITHOUT[finding.also_without]}"] if options.passes is not None else []),
            f"repeat: {options.repeat(finding.index)}",
            "",
        ]
    )


TEST = '''"""Found by `loomir-fuzz`: {what}."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import onnx

import loomir
from loomir.tools.fuzz.builds import Build
{imports}
from loomir.tools.fuzz.metamorphic import TRANSFORMS
from loomir.tools.fuzz.trial import MAX_ITERATIONS, check_passes
from tests.differential.oracle import assert_engines_agree, run_onnxruntime

MODEL = """
{text}
"""
FEEDS = {feeds}
{extensions}LEVEL = {level}
BUILD = {build!r}


def load(model):
    loaded = loomir.load(
        model, pipelines=LEVEL.pipelines, max_iterations=MAX_ITERATIONS, max_shapes={bounds!r}
    )
    return loaded.for_machine(BUILD.machine)


def test_{name}() -> None:
    model = onnx.parser.parse_model(MODEL)
    expected = run_onnxruntime(model, FEEDS)
    with BUILD.chosen():
{check}
'''

_AGREES = """        loaded = load({model})
        assert_engines_agree(loaded, FEEDS, expected, engines={engines!r})"""

_AGREES_BY_POSITION = """        loaded = load(Path(__file__).with_name("{file}"))
        names = [output.name for output in loaded.outputs]
        expected = [dict(zip(names, wanted.values(), strict=True)) for wanted in expected]
        assert_engines_agree(loaded, FEEDS, expected, engines={engines!r})"""

_PASSES_AGREE = """        check_passes(model, LEVEL, FEEDS, load(model))
        assert expected"""


def test_of(options: FuzzOptions, finding: Finding, text: str) -> str:
    """Return a regression test for tests/differential that repeats the failing check.

    The test of OpenVINO IR reads the `.xml` beside it.
    """
    feeds = ",\n".join(f"    {_literal(feed)}" for feed in finding.program.feeds)
    return TEST.format(
        what=f"{finding.program.name}, {finding.failure.kind}",
        text=text.strip().replace("\\", "\\\\"),
        feeds=f"[\n{feeds},\n]",
        name=finding.name,
        **_level(options, finding),
        bounds=finding.program.max_shapes() if options.bounded(finding.index) else {},
        build=_build_for_test(options, finding),
        check=_check_of(finding),
    )


def _order(options: FuzzOptions, finding: Finding) -> list[str]:
    """The passes of a random order, step by step."""
    if finding.level != ORDERS:
        return []
    pipelines = options.level_of(finding.index).pipelines
    return [
        f"{step}: {','.join(pass_text(p) for p in pass_instances(passes))}"
        for step, passes in pipelines.items()
    ]


def _level(options: FuzzOptions, finding: Finding) -> Mapping[str, str]:
    """How a test names the level."""
    imported, level = "BY_NAME", f'BY_NAME["{finding.level}"]'
    if finding.level == ORDERS:
        imported, level = "random_order", f"random_order({options.seed}, {finding.index})"
    imports = f"from loomir.tools.fuzz.levels import {imported}"
    if options.passes is not None:
        imports += "\nfrom loomir.tools.fuzz.passes_under_test import with_passes"
        level = f"with_passes({level}, {options.passes!r}, early={options.early(finding.index)})"
    extensions = "".join(f"loomir.load_extension({source!r})\n" for source in named_sources())
    return {"imports": imports, "level": level, "extensions": extensions}


def _build_for_test(options: FuzzOptions, finding: Finding) -> Build:
    """Return the build for the regression test.

    It is the build that failed, whose machine interpreters use as well; other checks lower for any machine.
    """
    engine = finding.failure.engine.partition(" ")[0]
    build = build_of(options, finding.index, finding.failure)
    return build if engine in ENGINES else replace(build, machine="generic")


def _check_of(finding: Finding) -> str:
    """Return the failing check as statements of a test."""
    what, _, how = finding.failure.engine.partition(" ")
    if what == "check-each-pass":
        return _PASSES_AGREE
    if what == "metamorphic":
        transformed = f'TRANSFORMS["{how}"](model, Random("{finding.program.name}/{how}"))'
        return _AGREES.format(model=transformed, engines=["graph", "loops"])
    if what == "IR":
        return _AGREES_BY_POSITION.format(
            file=f"{finding.name}.xml", engines=[how if how in ENGINES else "graph"]
        )
    return _AGREES.format(model="model", engines=[what if what in ENGINES else "graph"])


def _literal(feed: Mapping[str, np.ndarray]) -> str:
    items = (f'"{n}": np.array({a.tolist()!r}, "{a.dtype.name}").reshape({a.shape})' for n, a in feed.items())
    return f"{{{', '.join(items)}}}"


def reduce_all(
    options: FuzzOptions,
    failures: Sequence[tuple[Report, TrialFailure]],
    folder: Path | None,
    *,
    most: int,
    heard: Callable[[Finding, Sequence[Path]], None],
) -> None:
    """Reduce failures and write them to the folder, if there is one.

    `heard` receives each finding as soon as it is available.
    """
    for report, failure in worth_reducing(failures, most):
        finding = reduce_failure(options, report, failure)
        heard(finding, write_finding(options, finding, folder) if folder is not None else [])


COLUMNS = 3


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def features_table(summary: Summary) -> Table:
    """Return a table of the features of the programs.

    It lists in how many programs each feature occurs, and how often it occurs in all of them; operators follow the other
    features.
    """
    programs, times = summary.holding(), summary.total("features")
    table = _table(f"What {len(summary.reports)} programs hold: in how many, how often")
    for _ in range(COLUMNS):
        table.add_column("", no_wrap=True)
        table.add_column("in", justify="right", no_wrap=True)
        table.add_column("times", justify="right", no_wrap=True)
    names = sorted(programs, key=lambda n: (n.startswith("op "), n))
    rows = -(-len(names) // COLUMNS)
    for row in range(rows):
        cells: list[str] = []
        for name in names[row::rows]:
            cells += [name, str(programs[name]), str(times[name])]
        table.add_row(*cells)
    return table


def counts_table(title: str, counts: Mapping[str, int]) -> Table:
    """Names and numbers."""
    table = _table(title)
    table.add_column("")
    table.add_column("programs", justify="right")
    for name, count in sorted(counts.items()):
        table.add_row(name, str(count))
    return table


def seconds_table(summary: Summary) -> Table:
    """CPU time by what it was spent for."""
    count = max(1, len(summary.reports))
    spent = summary.seconds_of()
    table = _table("CPU time")
    table.add_column("")
    table.add_column("ms per program", justify="right")
    table.add_column("share", justify="right")
    whole = sum(spent.values()) or 1.0
    for name, seconds in spent.items():
        table.add_row(name, f"{1000 * seconds / count:.1f}", f"{100 * seconds / whole:.0f} %")
    table.add_row("all", f"{1000 * whole / count:.1f}", "100 %")
    return table


def failures_by_kind(summary: Summary) -> Counter[str]:
    """How many failures there are of each sort."""
    return Counter(f"{f.engine}: {f.kind}" for _, f in summary.failures)
