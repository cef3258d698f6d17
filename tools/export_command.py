"""`loomir export`: a model as OpenVINO IR."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loomir.compiler.model import Model


def add_export_parser(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], common: Sequence[argparse.ArgumentParser]
) -> None:
    """The command and its options, behind those that all commands have."""
    parser = commands.add_parser("export", parents=list(common), help="write OpenVINO IR: .xml and .bin")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.xml")
    add_save_arguments(parser)


def add_save_arguments(parser: argparse.ArgumentParser) -> None:
    """How an IR is written: the fields of `SaveOptions`."""
    parser.add_argument(
        "--compress-to-fp16",
        action="store_true",
        help="store weights of 32 and 64 bits in 16, where they fit",
    )
    parser.add_argument(
        "--run-time-checks",
        choices=("keep", "drop"),
        default="keep",
        help="what stops a program (an index out of range): ask it by operations that fail (default), or leave it out",
    )
    parser.add_argument(
        "--for",
        dest="target",
        metavar="VERSION",
        help="go round the known faults of a version of OpenVINO: openvino-2026",
    )


def save(model: Model, path: Path, options: argparse.Namespace) -> None:
    """Write the model and say where. Errors: those of `Model.save`."""
    model.save(
        path,
        compress_to_fp16=options.compress_to_fp16,
        checks=options.run_time_checks,
        target=options.target,
    )
    print(f"{path}, {path.with_suffix('.bin')}")
