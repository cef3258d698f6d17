"""Conversion of ONNX checker messages to errors.

An error has the node and the operator that the message names, and advice.
"""

from __future__ import annotations

import re

import onnx.checker
from google.protobuf.message import EncodeError
from onnx import ModelProto

from loomir.compiler.frontends.onnx.checkable import checkable
from loomir.errors import Error

_NODE = re.compile(
    r"==> Context: Bad node spec for node\. Name: (?P<name>.*) OpType: (?P<op>\S*)\s*$", re.MULTILINE
)
"""Line for each node around the fault, the innermost first."""

_ADVICE = (
    (
        r"not an output of any node",
        "a graph gives what its own nodes make: put an Identity between the outer value and the output",
    ),
    (
        r"is deprecated in domain_version",
        "import an older operator set, which has it, or put in its place what the newer one has",
    ),
    (
        r"has (in|out)put size",
        "count them in the operator's page of ONNX's documentation, for the version that is imported",
    ),
    (
        r"[Aa]ttribute",
        "the operator's page of ONNX's documentation has its attributes, for the version that is imported",
    ),
    (
        r"in initializer but not in graph input",
        "before IR version 4 initialisers are inputs as well: add it there, or raise ir_version",
    ),
    (
        r"ir_version",
        "update the package onnx where it is too new; where there is none, the exporter must write one",
    ),
    (
        r"[Oo]pset import",
        "a function must import the version of an operator set that the model does, where its operators differ",
    ),
    (
        r"value field|data_type",
        "a tensor has a type, and its numbers in one of raw_data and the typed fields",
    ),
)
"""Topic of a message, and advice for it."""

ADVICE = "export the model again; onnx.checker.check_model says the same of it"
"""Advice for all other messages."""


def check(model: ModelProto) -> None:
    """ONNX's own checker: arities, attribute names and types, required fields. `Error("invalid-onnx")`."""
    try:
        onnx.checker.check_model(checkable(model))
    except onnx.checker.ValidationError as error:
        raise checker_error(str(error)) from error
    except (EncodeError, ValueError) as error:
        raise Error(
            "invalid-onnx",
            f"the model cannot be checked: {brief(error)}",
            hint="keep weights of more than 2 GB as external data",
        ) from error


def checker_error(said: str) -> Error:
    """Return the error for a message of the checker.

    Its location is the node that the message names first.
    """
    what = brief(said)
    hint = next((advice for words, advice in _ADVICE if re.search(words, what)), ADVICE)
    error = Error("invalid-onnx", what, hint=hint)
    for node in _NODE.finditer(said):
        if node["name"] or node["op"]:
            return error.at(layer=node["name"] or None, op=node["op"] or None)
    return error


def brief(said: object) -> str:
    """Return the message on one line, without ONNX's context lines."""
    return " ".join(str(said).split("==>")[0].split()) or type(said).__name__
