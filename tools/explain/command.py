"""Command line of `loomir explain`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loomir.compiler.levels import leading_level

if TYPE_CHECKING:
    from loomir.tools.arguments import Loader


def add_explain_parser(
    commands: argparse._SubParsersAction, parents: Sequence[argparse.ArgumentParser]
) -> None:
    """Add `explain` to the commands of `loomir`."""
    parser = commands.add_parser(
        "explain", parents=[*parents], help="write a page about what became of a model"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE.html", help="(default: the model's name, in this folder)"
    )
    parser.add_argument(
        "--capacity",
        type=int,
        metavar="N",
        help="largest extent of unbounded tensors, such as the output of a while loop",
    )
    parser.add_argument(
        "--against",
        metavar="PIPELINE",
        help="compile with other passes, too, and show both side by side: a level, GRAPH passes to run after it, or both, "
        "such as 'O1,ov-loop-unroll{max-trips=8}'",
    )


def run_explain(options: argparse.Namespace, load: Loader) -> None:
    """Write the page.

    A model that cannot be lowered has a page without memory and C, and a warning.

    Errors: `no-jinja2`, `bad-option`, `bad-pipeline`, `file-unwritable`, those of loading.
    """
    from loomir.compiler.files import write_together
    from loomir.compiler.options import checked_capacity
    from loomir.errors import file_unwritable
    from loomir.tools.explain.page import Compilation, page_template, rendered
    from loomir.tools.explain.recording import Recorder

    def compiled(chosen: argparse.Namespace) -> Compilation:
        recorder = Recorder()
        with recorder.recording():
            model = load(chosen)
        title = f"-{chosen.level}" + (f" --pipeline {chosen.pipeline}" if chosen.pipeline else "")
        return Compilation(title, model, recorder, chosen.capacity)

    checked_capacity(options.capacity)
    template = page_template()
    chosen = [options] if options.against is None else [options, _against(options)]
    compilations = [compiled(each) for each in chosen]
    text = rendered(template, compilations)
    output = options.output or Path(f"{compilations[0].model.name}.html")
    try:
        write_together({output: [text.encode()]})
    except (OSError, ValueError) as error:  # A ValueError for a path with a NUL in it.
        raise file_unwritable(output, error) from error
    for each in compilations:
        if each.error is not None:
            print(f"loomir: warning: {each.title}: there is no C: {each.error}", file=sys.stderr)
    print(f"{output}: {len(text.encode()):,} bytes")


def _against(options: argparse.Namespace) -> argparse.Namespace:
    """The options with the level and the passes of `--against`. Error: `bad-pipeline`."""
    from loomir.compiler.pipeline import parse_pipeline

    level, passes = leading_level(options.against, options.level)
    parse_pipeline(passes)
    return argparse.Namespace(**{**vars(options), "level": level, "pipeline": passes or None})
