"""Normalisations of tensors, and scaling by a parameter for each channel."""

from __future__ import annotations

from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.ops.row import OpRow, boolean


def _bools(*names: str) -> Any:
    """Completes attributes that are truth values, or their numbers or digits."""

    def completed(attributes: dict[str, Any]) -> None:
        for name in names:
            value = attributes[name]
            attributes[name] = bool(int(value) if isinstance(value, str) else value)

    return completed


def _valid(name: str) -> Any:
    return (name, lambda node: bool(node[name]) if node.has_valid(name) else None)


def _known_region(attributes: dict[str, Any]) -> None:
    """Errors: `mo-op-attribute`."""
    if attributes["region"] not in ("across", "same"):
        what = f"'region' is '{attributes['region']}', not 'across' or 'same'"
        raise Error("mo-op-attribute", what, op="AttributedLRN")


ROWS = [
    OpRow("BN", "BN", "BN", inputs=5),
    OpRow("BatchNormInference", "BatchNormInference", "batchNormInference", inputs=5),
    OpRow("group_norm", "GroupNorm", "GroupNorm", inputs=3),
    OpRow(
        *("group_norm", "GroupNormalization", "GroupNormalization", "GroupNormalization", "opset12", 3),
        attributes={"num_groups": None, "epsilon": None},
        backend=["num_groups", "epsilon"],
    ),
    OpRow(
        *("instance_normalization", "InstanceNormalization", "InstanceNormalization"),
        inputs=None,
        outputs=None,
        attributes={"epsilon": None},
        backend=["epsilon"],
    ),
    OpRow(
        *("layer_norm", "LayerNorm", "LayerNorm", None, None, 1, 3),
        attributes={"axis": -1, "epsilon": 0.001, "output_mean_var": False},
    ),
    OpRow(
        *("lrn", "LRN", "LRN", "LRN", "opset1", 2),
        backend=["alpha", "beta", "bias", "size"],
        requires=("alpha", "beta", "bias", "size"),
        refuses=("region",),
    ),
    OpRow(
        *("lrn", "AttributedLRN", "AttributedLRN", "Norm", "opset1"),
        attributes={"bias": 1, "region": "across"},
        backend=["alpha", "beta", ("local-size", lambda node: node.local_size), "region"],
        requires=("alpha", "beta", "local_size"),
        completed=_known_region,
    ),
    OpRow(
        *("mvn", "MVN", "MVN", "MVN", "opset6", 2),
        attributes={"eps": None, "normalize_variance": None, "eps_mode": None},
        backend={
            "opset2": ["eps", *boolean("across_channels", "normalize_variance")],
            "opset6": ["eps", "eps_mode", *boolean("normalize_variance")],
        },
    ),
    OpRow(
        *("mvn", "MVNOnnx", "MVNOnnx"),
        attributes={
            "version": None,
            "eps": None,
            "eps_mode": None,
            "normalize_variance": None,
            "axes": None,
        },
    ),
    OpRow(
        *("mvn", "MVNCaffe", "MVNCaffe"),
        attributes={"version": None, "eps": 1e-9, "normalize_variance": None, "across_channels": None},
    ),
    OpRow(
        *("normalize", "NormalizeOp", "Normalize", "Normalize", None, 2),
        attributes={"eps": None},
        backend=["eps", "eps_mode", _valid("across_spatial"), _valid("channel_shared")],
        requires=("across_spatial", "channel_shared"),
        completed=_bools("across_spatial", "channel_shared"),
    ),
    OpRow(
        *("normalize_l2", "NormalizeL2Op", "NormalizeL2", "NormalizeL2", "opset1", 2),
        attributes={"eps": None, "p": None, "eps_mode": None},
        backend=["eps", "eps_mode"],
    ),
    OpRow("grn", "GRNOp", "GRN", "GRN", "opset1", backend=["bias"]),
    OpRow("pnorm", "PNormOp", "pnorm"),
    OpRow("scale_shift", "ScaleShiftOp", "ScaleShift", "ScaleShift", inputs=3),
    OpRow("axpy", "AxpyOp", "Axpy", inputs=None, outputs=None),
]
