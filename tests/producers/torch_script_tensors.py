# ruff: noqa: UP006, UP035 -- TorchScript reads this source, and knows only the older notations.
"""Tensors and networks through torch's older exporter, compiled or traced."""

from __future__ import annotations

from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.producers.fixtures import Made
from tests.producers.torch_export import Function, script, tensor, whole
from tests.producers.torch_script_control import programs


class Unbound(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        parts = x.unbind(1)
        total = torch.zeros_like(parts[0])
        for i in range(len(parts)):
            total = total + parts[i] * i
        return total, parts[-1]


@programs
def unbound_and_summed() -> Made:
    return script(Unbound(), [(tensor(2, 3),), (tensor(4, 5),)], {"x": [0, 1]}, names=["x"])


class SplitBySizes(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        first, second = torch.split(x, [2, 3], dim=1)
        chunks: List[Tensor] = torch.chunk(second, 3, dim=1)
        return first.softmax(0), torch.cat([chunks[2], chunks[0], chunks[1]], 1)


@programs
def split_by_sizes() -> Made:
    return script(SplitBySizes(), [(tensor(2, 5),), (tensor(3, 5),)], {"x": [0]}, names=["x"])


@programs
def recurrent_sequences_with_lengths() -> Made:
    """Packed sequences: the exporter hands lengths to ONNX's recurrence."""

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(3, 4, bidirectional=True)

        def forward(self, x: Tensor, lengths: Tensor) -> Tuple[Tensor, Tensor]:
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
            states, (last, _) = self.lstm(packed)
            return nn.utils.rnn.pad_packed_sequence(states)[0], last

    calls = [(tensor(5, 3, 3), torch.tensor([5, 3, 1])), (tensor(4, 2, 3), torch.tensor([4, 4]))]
    axes = {"x": [0, 1], "lengths": [0]}
    return script(Network(), calls, axes, names=["x", "lengths"], traced=True)


@programs
def multi_head_attention_traced() -> Made:
    """torch's own module, whose extents stay those of the trace."""
    attention = nn.MultiheadAttention(8, 2)
    calls = [(tensor(4, 2, 8, seed=k), tensor(3, 2, 8, seed=k), tensor(3, 2, 8, seed=k)) for k in "ab"]
    return script(attention, calls, names=["query", "key", "value"], traced=True)


@programs
def traced_tensor_functions() -> Made:
    def run(x: Tensor) -> Tuple[Tensor, ...]:
        values, order = x.topk(2, -1)
        kept = x.masked_fill(x < 0, 0)
        return values, order, kept.cumsum(-1), F.pad(x, (1, 2)), x.roll(1, 0), x.std(-1), x.prod(0)

    return script(Function(run), [(tensor(3, 4),), (tensor(5, 4),)], {"x": [0]}, names=["x"], traced=True)


@programs
def traced_places() -> Made:
    def run(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        return x.nonzero(), x[x > 0.5], torch.where(x > 0, x, x.new_zeros(1))

    return script(Function(run), [(tensor(3, 4),), (tensor(2, 4) - 9,)], {"x": [0]}, names=["x"], traced=True)


@programs
def traced_vision_network() -> Made:
    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(2, 4, 3, stride=2, padding=1)
            self.norm = nn.GroupNorm(2, 4)
            self.second = nn.Conv2d(4, 3, 1)

        def forward(self, x: Tensor) -> Tensor:
            y = self.second(F.leaky_relu(self.norm(self.first(x))))
            y = F.avg_pool2d(y, 3, 1, padding=1, ceil_mode=True)
            return F.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=True)

    calls = [(tensor(1, 2, 8, 6),), (tensor(2, 2, 5, 7),)]
    return script(Network(), calls, {"x": [0, 2, 3]}, names=["x"], traced=True)


@programs
def traced_old_operators() -> Made:
    """Version 9 of the operators, where axes and pads were attributes."""

    def run(x: Tensor) -> Tuple[Tensor, ...]:
        return (
            x.unsqueeze(1).sum(2),
            F.pad(x, (1, 1)),
            x.clamp(-1, 1),
            x[:, 1:3],
            F.dropout(x.transpose(0, 1), 0.5, False),
        )

    return script(
        Function(run), [(tensor(2, 4),), (tensor(3, 4),)], {"x": [0]}, names=["x"], opset=9, traced=True
    )


class Selected(nn.Module):
    """Non-maximum suppression by hand: a list of indices, each of which removes others."""

    def forward(self, x: Tensor, width: Tensor) -> Tensor:
        order = x.argsort(descending=True)
        result = torch.zeros(0, dtype=torch.long)
        while order.numel() > 0:
            first = order[0]
            result = torch.cat([result, first.reshape(1)])
            order = order[(x[order] - x[first]).abs() > width]
        return result


@programs
def suppression_by_hand() -> Made:
    calls = [(tensor(n), torch.tensor(width)) for n, width in ((6, 0.5), (9, 0.1), (3, 9.0))]
    return script(Selected(), calls, {"x": [0]}, names=["x", "width"])


class Types(nn.Module):
    def forward(self, x: Tensor, n: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        doubled = x.to(torch.float64)
        small = n.to(torch.uint8)
        for i in range(int(n[0])):
            doubled = doubled * 1.25 + i
            small = small * 3
        return doubled, small, (small > 100) | (n == 2)


@programs
def types_in_a_loop() -> Made:
    calls = [(tensor(2), torch.tensor(n)) for n in ([3, 2, 9], [0, 1], [5])]
    return script(Types(), calls, {"x": [0], "n": [0]}, names=["x", "n"])


class Chosen(nn.Module):
    """Another function in each iteration."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x: Tensor, choices: Tensor) -> Tensor:
        for i in range(choices.shape[0]):
            choice = int(choices[i])
            for k, layer in enumerate(self.layers):
                if k == choice:
                    x = layer(x).relu()
        return x


@programs
def layers_chosen_by_numbers() -> Made:
    calls = [(tensor(b, 3), whole(0, 4, n)) for b, n in ((2, 4), (1, 2), (3, 0))]
    return script(Chosen(), calls, {"x": [0], "choices": [0]}, names=["x", "choices"])
