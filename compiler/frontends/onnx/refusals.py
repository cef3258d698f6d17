"""Why loomir does not have some of ONNX's operators and domains."""

from __future__ import annotations

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
