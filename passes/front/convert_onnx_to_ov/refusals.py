"""Why loomir does not have some of ONNX's operators and domains."""

from __future__ import annotations

import onnx.defs

from loomir.errors import Error

_RANDOM = "it draws random numbers, in ONNX without saying which"
_STRINGS = "it works on strings"

OPERATORS: dict[str, str] = {
    **dict.fromkeys(
        (
            "Bernoulli",
            "Multinomial",
            "RandomNormal",
            "RandomNormalLike",
            "RandomUniform",
            "RandomUniformLike",
        ),
        _RANDOM,
    ),
    **dict.fromkeys(("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"), _STRINGS),
    "ImageDecoder": "it reads image files",
    "TfIdfVectorizer": "it counts words, which belongs before a network",
}
"""Operator → the reason."""

DOMAINS: dict[str, str] = {
    "ai.onnx.ml": "operators of classical machine learning (ai.onnx.ml) are not supported",
    "ai.onnx.training": "operators for training are not supported",
    "ai.onnx.preview.training": "operators for training are not supported",
}
"""Domain → what to say of its operators."""


def unknown_operator(operator: str, domain: str, version: int) -> Error:
    """What to say of an operator that an operator set does not have: `unknown-operator`, `unsupported-operator`."""
    if domain in DOMAINS:
        return Error("unsupported-operator", DOMAINS[domain])
    if onnx.defs.has(operator, domain):
        return Error("unknown-operator", f"operator set {version} has no operator '{operator}' yet")
    return Error(
        "unknown-operator",
        f"there is no operator '{operator}' in '{domain or 'ai.onnx'}'",
        hint="only ONNX's own operators and functions that the model defines have a meaning"
        if domain
        else None,
    )
