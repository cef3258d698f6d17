"""Two models through everything: `make demo`.

For each: the tree of loops and branches before and after the GRAPH passes, all engines on the same input, the largest
difference between each pair, the C with the bytes that it needs, and the time of one call.
"""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

import loomir
from loomir.compiler.engines.native import build_program, run_program
from loomir.compiler.feeds.samples import random_feed
from loomir.compiler.summary import ControlFlowNode, control_flow_tree

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "build" / "demo"
MODELS = (
    ("controlflow.xml", {}, "ov-loop-unroll{max-trips=8},canonicalize,cse"),
    ("kws.xml", {"input_1": [1, 49, 10, 1]}, None),
)
ENGINES = ("graph", "structured", "loops", "native")

console = Console(highlight=False, width=110)


def tree(node: ControlFlowNode) -> Tree:
    """The control flow of a program, as rich draws it."""
    root = Tree(Text(f"{node.text} [{node.operations} operations]"))
    for child in node.children:
        root.children.append(tree(child))
    return root


def best_seconds(function, *, at_least: float = 0.05) -> float:
    """Seconds of one call: the best of several, so that it is not the machine's mood."""
    best, spent = float("inf"), 0.0
    while spent < at_least:
        start = time.perf_counter()
        function()
        seconds = time.perf_counter() - start
        best, spent = min(best, seconds), spent + seconds
    return best


def show(file: str, shapes: dict[str, list[int]], pipeline: str | None) -> None:
    """One model through everything."""
    console.rule(file)
    path = HERE / file
    imported = loomir.load(path, shapes=shapes, optimize=False)
    model = loomir.load(path, shapes=shapes)
    if pipeline:
        model = model.optimize(pipeline)
    console.print("as imported:", tree(control_flow_tree(imported.module)))
    console.print("after the GRAPH passes:", tree(control_flow_tree(model.module)))

    feed = random_feed(model, seed=1)
    results: dict[str, dict[str, np.ndarray]] = {}
    times: dict[str, float] = {}
    for engine in ENGINES:
        results[engine] = model.run(feed, engine=engine)
        times[engine] = best_seconds(lambda engine=engine: model.run(feed, engine=engine))
    name = path.stem
    code = model.emit_c(OUTPUT / name, name)
    build_program(code, OUTPUT / name)
    results["C program"] = run_program(code, OUTPUT / name, feed)

    table = Table("", *list(results)[1:], title="largest difference between engines")
    for row in list(results)[:-1]:
        cells = [""] * (len(results) - 1)
        for a, b in itertools.combinations(results, 2):
            if a == row:
                difference = max(
                    float(np.abs(results[a][o].astype(np.float64) - results[b][o]).max(initial=0))
                    for o in results[a]
                )
                cells[list(results).index(b) - 1] = f"{difference:.2g}"
        table.add_row(row, *cells)
    console.print(table)
    console.print("outputs:", {o: list(v.shape) for o, v in results["native"].items()})
    console.print("one call:", ", ".join(f"{e} {1e3 * s:.3g} ms" for e, s in times.items()))
    console.print(
        f"C: build/demo/{name}/{name}.c, arena {code.arena_bytes} bytes, weights {code.weight_bytes} bytes"
    )


def main() -> None:
    """Show every model."""
    for file, shapes, pipeline in MODELS:
        show(file, shapes, pipeline)


if __name__ == "__main__":
    main()
