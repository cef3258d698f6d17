"""The page of the corpus: its programs, and their instructions and arenas at each level.

python benchmarks/corpus_levels.py > docs/corpus.md      # ten minutes; `make pages`
python benchmarks/corpus_levels.py ROWS.json             # of rows that `loomir compare --corpus --json` has printed, with these options
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

import onnx

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from corpus import PROGRAMS, Program
from levels import compiler_version
from make_corpus import make

from loomir.tools.compare import compare

LEVELS = ("O0", "O1", "O2", "Os")
ROOM = 1.25
"""Factor by which an arena may grow."""
CAPACITY = 64
"""Largest extent of a result whose length no shape bounds."""

HEAD = """# Corpus of control-flow programs

{count} programs with loops and branches, made by scripts of `examples/corpus/`: a model in ONNX's text form, inputs (typical ones first,
then those at the edges: no trips, early and late exits, each branch), and a truth that numpy computes from them in float64 or exact
integers, as a textbook writes the algorithm. The scripts need numpy and onnx, not loomir. Use them to measure a pass, a compiler or a
runtime:

```
python examples/make_corpus.py build/corpus                # or: build/corpus lstm viterbi
loomir compare --corpus build/corpus --pipelines O0 O2     # docs/compare.md
```

| file | contents |
|---|---|
| `NAME.onnx` | the model, with opset 20 |
| `NAME.inputs.npz` | input `x` of feed 2 as `2/x` |
| `NAME.expected.npz` | output `y` of feed 2 as `2/y`, in float64, integers or booleans; its largest error as `error/2/y` |

A float output is right if `max|y - truth| ≤ n · 2⁻²⁴ · max(max|truth|, s)`, where n counts the roundings on the longest chain of operations
whose errors do not die out, and s is the size of terms that cancel. Each program derives both in a comment. Integers and booleans are
equal to the truth. `tests/unit/test_corpus.py` checks ONNX Runtime, the graph engine at `-O0` and `-O2`, and native code.

To add a program, write a function with `@program` in the module of its subject (`examples/corpus/program.py` describes its parts).
`python benchmarks/corpus_levels.py > docs/corpus.md` regenerates this page.

## Programs

Loops are Loop, Scan and SequenceMap, and nodes those of all graphs together.

"""

MEASURED = """
## Levels

Instructions of one call of the emitted C with the first inputs, counted by callgrind, and bytes of its arena, at each level. Measured on
{date} with {compiler}, machine `generic`, `--capacity {capacity}`. Results of
{right} of {count} programs are right and equal, with all inputs, at all levels, in the graph engine and in the native engine.

{findings}

| program | instructions `-O0` | `-O1` | `-O2` | `-Os` | `-O2` / `-O0` | arena `-O0` | `-O1` | `-O2` | `-Os` |
|---|---|---|---|---|---|---|---|---|---|
"""

Rows = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Rows of a comparison by program and level."""


def graphs_of(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Generate a graph, and those in its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def counts_of(program: Program) -> tuple[int, int, int]:
    """Return the loops, branches and nodes of a program."""
    nodes = [node.op_type for graph in graphs_of(program.model().graph) for node in graph.node]
    return sum(nodes.count(loop) for loop in ("Loop", "Scan", "SequenceMap")), nodes.count("If"), len(nodes)


def programs_table() -> str:
    """Return the tables of programs, one for each module."""
    lines: list[str] = []
    for domain, programs in groupby(PROGRAMS.values(), lambda program: program.domain):
        lines += [f"### `{domain}.py`", ""]
        lines += ["| program | | loops | branches | nodes | source |", "|---|---|---|---|---|---|"]
        for program in programs:
            loops, branches, nodes = counts_of(program)
            lines.append(
                f"| `{program.name}` | {program.what} | {loops} | {branches} | {nodes} | {program.source} |"
            )
        lines.append("")
    return "\n".join(lines)


def listed(ratios: Mapping[str, float]) -> str:
    """Return the number of programs, and each with its ratio."""
    each = [f"`{name}` {ratio:.2f} ×" for name, ratio in ratios.items()]
    return f"{len(each)} ({', '.join(each)})" if each else "none"


def findings(rows: Rows) -> str:
    """Return the sums of the table: more instructions, more room, half of the instructions."""

    def ratios(column: str, level: str) -> dict[str, float]:
        pairs = {name: (of["O0"][column], of[level][column]) for name, of in rows.items()}
        return {
            name: b / a if a else float(bool(b)) * float("inf") for name, (a, b) in pairs.items() if a or b
        }

    lines = []
    for level in LEVELS[1:]:
        instructions, arenas = ratios("instructions", level), ratios("arena", level)
        more = {name: ratio for name, ratio in instructions.items() if ratio > 1}
        large = {name: ratio for name, ratio in arenas.items() if ratio > ROOM}
        half = sum(ratio <= 0.5 for ratio in instructions.values())
        lines += [
            f"- `-{level}`: at most half of the instructions of `-O0` on {half} programs; more on {listed(more)}; "
            f"an arena over {ROOM} × on {listed(large)}.",
        ]
    return "\n".join(lines)


def levels_table(rows: Rows) -> str:
    """Return a line for each program."""
    lines = []
    for name, of in rows.items():
        instructions = [f"{of[level]['instructions']:,}" for level in LEVELS]
        ratio = of["O2"]["instructions"] / of["O0"]["instructions"]
        arenas = [f"{of[level]['arena']:,}" for level in LEVELS]
        lines.append(f"| `{name}` | {' | '.join(instructions)} | {ratio:.2f} | {' | '.join(arenas)} |")
    return "\n".join(lines) + "\n"


def measured_rows() -> Iterator[Mapping[str, Any]]:
    """Generate the rows of a comparison of all programs."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        for row in compare([folder], LEVELS, corpus=True, capacity=CAPACITY, skip=["text", "seconds"]):
            yield asdict(row)


def by_program(rows: Iterable[Mapping[str, Any]]) -> Rows:
    """Return rows by program and level."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(Path(row["model"]).stem, {})[row["pipeline"]] = row
    return found


def page(rows: Rows) -> str:
    """Return the page."""
    right = sum(all(row["right"] and row["equal"] for row in of.values()) for of in rows.values())
    measured = MEASURED.format(
        date=date.today(),
        compiler=compiler_version(),
        capacity=CAPACITY,
        right=right,
        count=len(rows),
        findings=findings(rows),
    )
    return HEAD.format(count=len(PROGRAMS)) + programs_table() + measured + levels_table(rows)


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text())["rows"] if sys.argv[1:] else measured_rows()
    print(page(by_program(given)), end="")
