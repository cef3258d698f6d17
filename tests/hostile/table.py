"""`python -m tests.hostile.table > docs/errors.md`: the table of faults and their errors."""

from __future__ import annotations

from loomir.compiler.formats.c.header import status_of
from loomir.dialects.diagnostics import KINDS, run_error
from tests.hostile import faults_of_cuts, faults_of_extensions, faults_of_files, faults_of_use  # noqa: F401 -- they fill the table, as faults does
from tests.hostile.fault import FAULTS
from tests.hostile.identifiers import IDENTIFIERS

HEAD = """# Errors

A user's mistake, and a model's, is a `loomir.Error`: an identifier, the file, the layer or node, its operator, what is wrong
and what to do. The tools print it on one to three lines and exit with 1. Models are untrusted: nothing that a file holds makes
loomir crash, hang, read outside of the model's folder or leave a half-written file.

Made by `python -m tests.hostile.table`: why a run stops, [every identifier](#identifiers) with what to do, and [faults](#faults), each of
which `tests/hostile` tries; beyond these, an attack damages valid models at
random and accepts only success or such an error ([testing.md](testing.md)). Limits have options: `--max-iterations`, `--max-bytes`,
`--max-capacity`. Bytes are 1 GiB at most by default: of one tensor, of the arena, and of all that folding constants makes.
What nobody foresaw is `internal-error`: a defect of loomir, to be reported with its message, the command and the model. Memory that
runs out is `limit-memory`.

Which links are followed: what the user names, and the `.bin` beside an `.xml`, may be a link to a file elsewhere; a place that a model
names (`external_data` of ONNX) may not leave the model's folder, neither by `..` nor by a link. Where the model that the user names is a
link to a file, the folder of that file is the model's as well, as in Hugging Face's cache; `--external-data-root FOLDER`
(`external_data_root=`) names another one in which data may be. Only regular files are read, no FIFOs or devices. Weights are mapped: do
not cut a file that a Model holds, replace it by renaming another one.

One mistake has one identifier, whichever engine finds it and with whatever passes (`tests/differential/mistakes.py` has the models).
What the model alone shows, `load` finds, with an identifier of the operation: `broadcast-shapes`, `axis-range`, `split-size`. What
takes a feed is one of these (`dialects/diagnostics.py`), or `limit-bytes` for a tensor that is larger than it may be. What no code
can be made for, such as C for axes that a feed decides, is refused whatever is fed: `unknown-axes`, `unknown-length`,
`unknown-rank`, `unresolved-rank`; a run below GRAPH makes programs for the values of small inputs, unless `specialise=False`.

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
