"""Why loomir does not have some of ONNX's operators and domains."""

from __future__ import annotations

import onnx.defs

from loomir.dialects.ov.operators.custom import EXTENSION_CAN
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
    "ai.onnx.training": "operators for training (ai.onnx.training) are not supported",
    "ai.onnx.preview.training": "operators for training (ai.onnx.preview.training) are not supported",
}
"""Domain → what to say of its operators."""


def unknown_operator(operator: str, domain: str, version: int) -> Error:
    """Return the error for an operator that an operator set lacks.

    The error is `unknown-operator` or `unsupported-operator`.
    """
    if domain in DOMAINS:
        return unsupported_operator(operator, DOMAINS[domain])
    name = f"'{operator}' in '{domain or 'ai.onnx'}'"
    if (first := _first_version(operator, domain)) is not None:
        return Error(
            "unknown-operator",
            f"operator set {version} has no operator {name} yet",
            hint=f"import operator set {first} or a newer one, or {EXTENSION_CAN}",
        )
    return Error("unknown-operator", f"there is no operator {name}", hint=EXTENSION_CAN)


def unsupported_operator(operator: str, reason: str) -> Error:
    """Return the error `unsupported-operator` for an ONNX operator that loomir lacks."""
    return Error("unsupported-operator", f"'{operator}': {reason}", hint=EXTENSION_CAN)


def _first_version(operator: str, domain: str) -> int | None:
    """The oldest operator set that has an operator."""
    if not onnx.defs.has(operator, domain):
        return None
    known = onnx.defs.get_all_schemas_with_history()
    return min(s.since_version for s in known if s.name == operator and s.domain == domain)
