"""Options of `loomir-opt` beyond those of xDSL's driver.

Some options of that driver are described as well, with their meaning here.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from loomir.tools.arguments import (
    add_check_arguments,
    add_extension_argument,
    add_external_data_argument,
    add_level_argument,
    add_machine_argument,
    add_semantics_argument,
    add_traceback_argument,
)
from loomir.tools.remarks import add_remarks_argument


def add_opt_arguments(parser: argparse.ArgumentParser) -> None:
    """Add them to a parser that has those of xDSL's driver."""
    _describe(
        parser,
        "--disable-verify",
        "verify nothing, not even attributes: passes may then fail in any way",
    )
    _describe(
        parser,
        "--verify-diagnostics",
        "compare errors, warnings and remarks with the comments expected-error@+1 {{…}} of the text (see docs/testing.md)",
    )
    parser.add_argument(
        "--full-constants",
        action="store_true",
        help="print large constants in full, as other tools expect",
    )
    parser.add_argument(
        "--stage",
        choices=("front", "graph"),
        default="graph",
        help="what is made of an ONNX model before the passes: front keeps its own operators",
    )
    parser.add_argument(
        "--verify-stage",
        choices=("front", "graph", "structured", "loops"),
        help="check that the result is legal for this stage",
    )
    parser.add_argument(
        "--verify-each",
        action="store_true",
        help="verify the program after each pass (it is, unless --disable-verify is given)",
    )
    for when in ("before", "after"):
        parser.add_argument(
            f"--print-ir-{when}",
            action="append",
            default=[],
            metavar="PASS",
            help=f"print the program {when} this pass, on standard error (again for each pass)",
        )
        parser.add_argument(
            f"--print-ir-{when}-all",
            action="store_true",
            help=f"print the program {when} every pass, on standard error",
        )
    add_level_argument(
        parser,
        None,
        "run the passes of this level, before those of -p: of GRAPH, or on to the stage of --verify-stage",
    )
    parser.add_argument(
        "--print-pipeline",
        action="store_true",
        help="print the passes with their options, as -p takes them, and do nothing else",
    )
    add_extension_argument(parser)
    add_traceback_argument(parser)
    add_machine_argument(parser)
    add_remarks_argument(parser, "text")
    add_check_arguments(parser)
    add_semantics_argument(parser)
    add_external_data_argument(parser)
    parser.add_argument(
        "--check-inputs",
        type=Path,
        metavar="FILE.npz",
        help="run the program on these inputs rather than on samples (see --check-each-pass)",
    )
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="INPUT=N,N,…",
        help="set the shape of a model's input before it is imported (again for each input)",
    )


def _describe(parser: argparse.ArgumentParser, option: str, text: str) -> None:
    """Say what an option of xDSL's driver does here."""
    next(a for a in parser._actions if option in a.option_strings).help = text
