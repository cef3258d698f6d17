"""The attributes of sliding windows, which convolution and pooling share."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from loomir.dialects.ov.base import AttrValue
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node

AUTO_PAD = {"NOTSET": "explicit", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower", "VALID": "valid"}


def weights_and_kernel(node: Node, weights: SSAValue) -> tuple[tuple[int, ...], list[int]]:
    """Return the shapes of a convolution's weights and of its kernel.

    The weights have two dimensions before those of the kernel. `kernel_shape` must match the weights' shape, where -1 is an
    unknown extent. Errors: `unknown-rank`, `invalid-onnx`.
    """
    rank = node.rank(weights, "the weights") - 2
    shape = node.shape(weights) or ()
    kernel = node.ints("kernel_shape", shape[2:])
    if len(kernel) != rank or any(e not in (-1, k) for e, k in zip(shape[2:], kernel)):
        raise Error("invalid-onnx", f"kernel_shape is {kernel}, the weights have shape {list(shape)}")
    return shape, kernel


@dataclass(frozen=True)
class Window:
    """Strides, dilations and pads of each spatial dimension."""

    strides: list[int]
    dilations: list[int]
    pads_begin: list[int]
    pads_end: list[int]
    auto_pad: str

    @staticmethod
    def of(node: Node, rank: int) -> Window:
        """Read a node's attributes for `rank` spatial dimensions. Error: `invalid-onnx`."""
        auto_pad = AUTO_PAD.get(node.string("auto_pad", "NOTSET"))
        strides, dilations = node.ints("strides", [1] * rank), node.ints("dilations", [1] * rank)
        pads = node.ints("pads", [0] * (2 * rank))
        if auto_pad is None:
            raise Error("invalid-onnx", f"auto_pad '{node.string('auto_pad')}' does not exist")
        if not len(strides) == len(dilations) == rank or len(pads) != 2 * rank:
            raise Error("invalid-onnx", f"strides, dilations or pads do not fit {rank} spatial dimensions")
        if auto_pad != "explicit":
            pads = [0] * (2 * rank)
        return Window(strides, dilations, pads[:rank], pads[rank:], auto_pad)

    @property
    def attributes(self) -> dict[str, AttrValue]:
        """As `ov` names them."""
        return {
            "strides": self.strides,
            "dilations": self.dilations,
            "pads_begin": self.pads_begin,
            "pads_end": self.pads_end,
            "auto_pad": self.auto_pad,
        }
