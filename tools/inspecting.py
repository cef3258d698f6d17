"""`loomir inspect`: loops and branches, operators, inputs and outputs of a model.

The module is light, for `--help`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loomir.tools.progress import progress

if TYPE_CHECKING:
    from rich.tree import Tree

    from loomir.compiler.drawings.tree import ControlFlowNode
    from loomir.tools.arguments import Loader


def add_inspect_parser(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], parents: Sequence[argparse.ArgumentParser]
) -> None:
    """Add `inspect` to the commands of `loomir`."""
    parser = commands.add_parser(
        "inspect", parents=[*parents], help="show loops and branches, operators, inputs and outputs"
    )
    parser.add_argument(
        "--stage",
        choices=("graph", "structured", "loops"),
        help="(default: the model's own, which is graph except for text of a later stage)",
    )
    parser.add_argument(
        "--capacity",
        type=int,
        metavar="N",
        help="largest extent of unbounded tensors, such as the output of a while loop",
    )
    parser.add_argument("--passes", action="store_true", help="count loops and branches after each pass")
    parser.add_argument("--mlir", action="store_true", help="print the program's text instead")
    parser.add_argument(
        "--dot", action="store_true", help="print the program as a graph for graphviz instead"
    )


def run_inspect(options: argparse.Namespace, load: Loader) -> None:
    """Print what a model holds at a stage.

    Errors: those of loading and lowering.
    """
    from rich.console import Console
    from rich.table import Column, Table

    from loomir.compiler.drawings.dot import dot_of
    from loomir.compiler.summary import CONTROL_FLOW, control_flow_tree, summarise

    model = load(options)
    stage = options.stage or model.stage
    with options.observation.phase("lower"), progress("lowering"):
        module = model.lowered(stage, capacity=options.capacity)
    if options.mlir:
        print(model.mlir(stage, capacity=options.capacity))
        return
    if options.dot:
        print(dot_of(module), end="")
        return
    console = Console(highlight=False)
    summary = summarise(module)
    for what, tensors in (("input", model.inputs), ("output", model.outputs)):
        for tensor in tensors:
            console.print(f"{what} {tensor}", markup=False)
    console.print(_rich_tree(control_flow_tree(module)))
    table = Table("operator", "count", title=f"{stage}: {sum(summary.operations.values())} operations")
    for name, count in sorted(summary.operations.items()):
        table.add_row(name, str(count))
    console.print(table)
    if summary.integer_products:
        floats = ", ".join(f"{name} {count}" for name, count in sorted(summary.floats.items()))
        console.print(
            f"integers: {summary.integer_products} of {summary.products} convolutions and products; floats: {floats or 'none'}"
        )
    if summary.constants:
        console.print(
            f"{summary.parameters:,} parameters; {summary.constants} constants of {summary.constant_bytes:,} bytes"
        )
    if options.passes:
        with progress("lowering"):
            model.lowered("loops", capacity=options.capacity)
        counted = [(record, record.operations or Counter()) for record in model.history.records]
        kinds = [name for name in CONTROL_FLOW if any(operations[name] for _, operations in counted)]
        # The name of a pass is never cut short, however narrow the terminal.
        records = Table(Column("pass", no_wrap=True), "ms", *kinds, "operations", title="after each pass")
        for record, operations in counted:
            counts = [str(operations[name]) for name in kinds]
            records.add_row(record.name, f"{1000 * record.seconds:.1f}", *counts, str(operations.total()))
        console.print(records)


def _rich_tree(node: ControlFlowNode) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    from loomir.compiler.drawings.tree import interval_text

    def label(n: ControlFlowNode) -> Text:
        macs = "" if n.macs.hi == 0 else f", {interval_text(n.macs)} multiply–accumulates"
        return Text(f"{n.text} [{n.operations} operations{macs}]")

    def fill(tree: Tree, n: ControlFlowNode) -> Tree:
        for child in n.children:
            fill(tree.add(label(child)), child)
        return tree

    return fill(Tree(label(node)), node)
