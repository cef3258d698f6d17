"""`save_openvino`: a GRAPH program as a pair of files, `.xml` and `.bin`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.backends.openvino.document import document_of
from loomir.compiler.files import write_together
from loomir.compiler.option_values import flag
from loomir.compiler.pipeline import run_passes
from loomir.errors import Error, file_unwritable, shown
from loomir.passes.graph.convert_ov_to_openvino import ConvertOvToOpenvinoPass
from loomir.passes.graph.convert_ov_to_openvino.checks import CHECKS
from loomir.passes.graph.convert_ovseq_to_ov import ConvertOvseqToOvPass
from loomir.passes.graph.convert_unranked_to_flat import ConvertUnrankedToFlatPass
from loomir.passes.graph.ov_compress_constants import OvCompressConstantsPass
from loomir.passes.graph.ov_fold_constants import OvFoldConstantsPass
from loomir.passes.graph.ov_if_resolve_ranks import OvIfResolveRanksPass
from loomir.passes.graph.ov_infer import OvInferPass
from loomir.passes.graph.ov_remove_unneeded import OvRemoveUnneededPass
from loomir.passes.graph.ov_suit_openvino_2026 import OvSuitOpenvino2026Pass


@dataclass(frozen=True)
class Target:
    """Passes that adapt a program to a version of OpenVINO.

    `before` run on the original program, `behind` on the program whose operations are one layer each.
    """

    before: Sequence[ModulePass]
    behind: Sequence[ModulePass]


TARGETS: Mapping[str, Target] = {
    "openvino-2026": Target(
        before=(
            OvFoldConstantsPass(),  # OpenVINO, which does it too, cannot run every loop then.
            OvIfResolveRanksPass(),
            ConvertUnrankedToFlatPass(),
        ),
        # What nothing needs reads no part of a loop's input.
        behind=(OvRemoveUnneededPass(), OvSuitOpenvino2026Pass(), OvInferPass()),
    )
}


@dataclass(frozen=True, kw_only=True)
class SaveOptions:
    """How a program is written. Error: `bad-option`."""

    compress_to_fp16: bool = False
    """Store 32- and 64-bit weights in 16 bits where they fit.

    OpenVINO converts them when it loads the model.
    """

    checks: str = "keep"
    """Handling of runtime checks that no OpenVINO operation performs.

    A failed check stops the program when it runs (an index out of range). `keep` expresses the checks by operations that fail,
    `drop` omits them.
    """

    target: str | None = None
    """OpenVINO version whose known faults are worked around, or None.

    It is one of `TARGETS`; None relies on the specified semantics of the operations.
    """

    def __post_init__(self) -> None:
        flag("compress_to_fp16", self.compress_to_fp16)
        if self.checks not in CHECKS:
            raise Error("bad-option", f"checks={shown(self.checks)}: it must be {' or '.join(CHECKS)}")
        if self.target is not None and self.target not in TARGETS:
            raise Error(
                "bad-option", f"target={shown(self.target)}: it must be {' or '.join(TARGETS)}, or None"
            )

    @property
    def passes(self) -> Sequence[ModulePass]:
        """The passes that bring a program into what an IR can say."""
        target = Target((), ()) if self.target is None else TARGETS[self.target]
        return (
            ConvertOvseqToOvPass(),
            OvInferPass(),
            *target.before,
            ConvertOvToOpenvinoPass(checks=self.checks),
            # So that a file says of its shapes what its reader finds out; what turns out never to run has to be expressed too.
            OvInferPass(),
            *target.behind,
            ConvertOvToOpenvinoPass(checks=self.checks),
            OvRemoveUnneededPass(),
            *([OvCompressConstantsPass()] if self.compress_to_fp16 else []),
        )


def prepared(module: ModuleOp, options: SaveOptions) -> ModuleOp:
    """Return a copy of a GRAPH module with one layer per operation.

    Errors: `not-in-openvino`, `unsupported-type`.
    """
    module = module.clone()
    run_passes(module, options.passes)
    return module


def save_openvino(module: ModuleOp, path: Path, options: SaveOptions) -> None:
    """Write `path`, which ends in `.xml`, and the `.bin` beside it.

    Either both are written or neither. The net has the file's name, as the reader expects.

    Errors: `bad-option`, `file-unwritable`; `not-in-openvino` and `unsupported-type`, with the operation's place.
    """
    if path.suffix != ".xml":
        raise Error(
            "bad-option", f"'{path}' does not end in .xml", hint="the weights go to the .bin beside it"
        )
    document = document_of(prepared(module, options), path.stem)
    try:
        write_together({path.with_suffix(".bin"): document.pieces(), path: [document.xml]})
    except (OSError, ValueError) as error:
        raise file_unwritable(path, error) from error
