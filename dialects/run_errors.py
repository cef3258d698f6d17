"""Run-time errors: one identifier per mistake, common to all engines.

The identifier depends neither on the engine that finds the mistake nor on how early it finds it.

A mistake that the model alone reveals is found at load time, with an identifier of the operation's own (`broadcast-shapes`,
`split-size`, `axis-range`). A mistake that depends on a feed is found by the operation's evaluation in the graph engine; below
it, by a check in the lowered program, or already by inference if the program is specialised for the feed's shapes. All three
report the same: each check is of one of the `KINDS`, each with its identifier, and `as_of_a_run` converts the errors of
inference.

The message of a `cf.assert` begins with the kind (`index: position 3 is out of range`), `ov.require` and `ov.fail` have it as an
attribute, and the C code of a program has a status of its name (`MODEL_ERROR_INDEX`).
"""

from __future__ import annotations

from loomir.errors import Error

KINDS = {
    "index": "an index computed from data is out of range",
    "capacity": "a tensor would be larger than its buffer",
    "limit": "a loop ran longer than it may",
    "shape": "shapes that must agree do not",
    "endless": "a loop was reached that never ends",
    "absent": "an optional was asked for a value that it does not have",
}
"""Kinds of run-time errors, with their default messages."""

_OF_A_RUN = ("runtime-", "limit-", "endless-loop")


def run_error(kind: str, what: str | None = None, *, layer: str | None = None) -> Error:
    """Return the error of a failed check of one of the `KINDS`.

    Its identifier is `runtime-index`, `runtime-capacity`, `limit-iterations`, `runtime-shape`, `endless-loop` or `runtime-absent`.
    """
    what = KINDS[kind] if what is None else what
    match kind:
        case "index":
            return Error("runtime-index", what, layer=layer)
        case "capacity":
            hint = "fix the model's input shapes (shapes=, --shape), from which the bound is worked out"
            return Error("runtime-capacity", what, layer=layer, hint=hint)
        case "limit":
            hint = "raise the bound with --max-iterations (max_iterations= in Python) if that is meant"
            return Error("limit-iterations", what, layer=layer, hint=hint)
        case "endless":
            hint = (
                "give it a trip count or a condition; ONNX Runtime ends such an ONNX loop by its body's condition"
                " (--semantics onnxruntime)"
            )
            return Error("endless-loop", what, layer=layer, hint=hint)
        case "absent":
            return Error("runtime-absent", what, layer=layer)
        case _:
            assert kind == "shape", kind
            return Error("runtime-shape", what, layer=layer)


def split_message(message: str) -> tuple[str, str] | None:
    """Return the kind and text of a `cf.assert` message, or None.

    The result is None if the message begins with none of the kinds.
    """
    kind, colon, what = message.partition(":")
    return (kind, what.strip() or KINDS[kind]) if colon and kind in KINDS else None


def as_of_a_run(error: Error) -> Error:
    """Convert an inference or evaluation error to a run-time error.

    The error concerns a feed. Every engine reports the same: illegal shapes are `runtime-shape`, shapes too large for addresses
    `limit-bytes`. Errors that are already run-time errors are returned unchanged.
    """
    if error.identifier.startswith(_OF_A_RUN):
        return error
    if error.identifier == "shape-too-large":
        said = Error("limit-bytes", error.what, hint=error.hint)
    else:
        said = Error("runtime-shape", error.what, hint=error.hint)
    said.where, said.notes = error.where, error.notes
    return said
