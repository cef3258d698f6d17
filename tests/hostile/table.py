"""`python -m tests.hostile.table > docs/errors.md`: the table of faults and their errors."""

from __future__ import annotations

from loomir.compiler.formats.c.header import status_of
from loomir.dialects.diagnostics import KINDS, run_error
from tests.hostile import faults_of_cuts, faults_of_extensions, faults_of_files, faults_of_use  # noqa: F401 -- they fill the table, as faults does
from tests.hostile.fault import FAULTS
from tests.hostile.identifiers import IDENTIFIERS

HEAD = """# Errors

A mistake in use or in a model is a `loomir.Error`: an identifier, the file, the layer or node, its operator, the fault and what to do.
The tools print it on one to three lines and exit with 1. Models are untrusted: no content of a file makes loomir crash, hang, read
outside of the model's folder or leave a half-written file.

Made by `python -m tests.hostile.table`: the reasons for which a run stops, [all identifiers](#identifiers) with what to do, and
[faults](#faults), which `tests/hostile` tests. In addition, an attack damages valid models at random and accepts only success or such an
error ([testing.md](testing.md)). Limits have options: `--max-iterations`, `--max-bytes`, `--max-capacity`. The default limit on bytes is
1 GiB: for one tensor, for the arena, and for all constants that folding creates. An unexpected exception is `internal-error`, a defect of
loomir: report it with its message, the command and the model. Exhausted memory is `limit-memory`.

A file that the user names, and the `.bin` beside an `.xml`, may be a link to a file elsewhere. A path in a model (`external_data` of ONNX)
may not leave the model's folder, neither by `..` nor by a link. If the model that the user names is a link to a file, the folder of that
file also belongs to the model, as in Hugging Face's cache; `--external-data-root FOLDER` (`external_data_root=`) names another folder that
may hold data. Only regular files are read, no FIFOs or devices. Weights are mapped: do not truncate a file that a Model holds, replace it
by renaming another one.

One mistake has one identifier, with every engine and all passes (`tests/differential/mistakes.py` has the models). `load` finds the
mistakes of the model alone, with an identifier of the operation: `broadcast-shapes`, `axis-range`, `split-size`. A mistake that depends on
a feed has one of these (`dialects/diagnostics.py`), or `limit-bytes` for a tensor that is too large. A program that no code can be
generated for, such as C for axes that a feed decides, is refused with any feed: `unknown-axes`, `unknown-length`, `unknown-rank`,
`unresolved-rank`; a run below GRAPH creates programs for the values of small inputs, unless `specialise=False`.

| a run stops because | error | status of the C |
|---|---|---|
"""

IDENTIFIER_HEAD = """
## Identifiers

| error | means | what to do |
|---|---|---|"""

FAULT_HEAD = """
## Faults

| fault | error |
|---|---|"""


def identifier_rows() -> list[str]:
    """The table of identifiers, in their order."""
    return [f"| `{name}` | {means} | {advice} |" for name, (means, advice) in sorted(IDENTIFIERS.items())]


def page() -> str:
    """The whole of docs/errors.md."""
    runs = [
        f"| {text} | `{run_error(kind).identifier}` | `…_{status_of(kind)}` |" for kind, text in KINDS.items()
    ]
    faults = [f"| {fault.what} | `{fault.identifier}` |" for fault in FAULTS]
    return HEAD + "\n".join([*runs, IDENTIFIER_HEAD, *identifier_rows(), FAULT_HEAD, *faults, ""])


if __name__ == "__main__":
    print(page(), end="")
