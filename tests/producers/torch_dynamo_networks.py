"""Networks as people write them, by torch.export: attention with caches, recurrence, convolutions, normalisation, other types."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.producers.fixtures import Made
from tests.producers.torch_dynamo_control import programs
from tests.producers.torch_export import dynamo, tensor, whole


class Attention(nn.Module):
    """Self-attention of two heads over what was seen before and what is new."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.projection = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        batch, length, width = x.shape
        q, k, v = self.projection(x).reshape(batch, length, 3, 2, width // 2).permute(2, 0, 3, 1, 4).unbind(0)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        past = keys.shape[2] - length
        mask = torch.arange(keys.shape[2]) <= (torch.arange(length) + past).unsqueeze(1)
        seen = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        return self.output(seen.transpose(1, 2).reshape(batch, length, width)), keys, values


@programs
def attention_with_growing_cache() -> Made:
    def call(batch: int, length: int, past: int) -> tuple[Tensor, ...]:
        return tensor(batch, length, 8), tensor(batch, 2, past, 4), tensor(batch, 2, past, 4, seed="v")

    cache = {0: "batch", 2: "past"}
    calls = [call(2, 3, 2), call(1, 1, 5), call(2, 4, 0)]
    return dynamo(Attention(), calls, [{0: "batch", 1: "length"}, cache, cache])


@programs
def transformer_encoder_layer() -> Made:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")
    return dynamo(layer, [(tensor(2, 5, 8),), (tensor(3, 2, 8),)], [{0: "batch", 1: "length"}])


@programs
def rotary_embedding_and_rms_norm() -> Made:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.RMSNorm(8)
            self.register_buffer("frequencies", 1 / 100 ** (torch.arange(0, 8, 2) / 8))

        def forward(self, x: Tensor) -> Tensor:
            angles = torch.outer(torch.arange(x.shape[1], dtype=torch.float32), self.frequencies)
            cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
            x = self.norm(x)
            low, high = x.chunk(2, -1)
            return x * cos + torch.cat([-high, low], -1) * sin

    return dynamo(Block(), [(tensor(2, 4, 8),), (tensor(1, 7, 8),)], [{0: "batch", 1: "length"}])


@programs
def lstm_of_two_layers() -> Made:
    lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)
    return dynamo(lstm, [(tensor(2, 5, 3),), (tensor(3, 5, 3),)], [{0: "batch"}])


@programs
def gru_and_head() -> Made:
    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(11, 5, padding_idx=0)
            self.gru = nn.GRU(5, 6, batch_first=True)
            self.head = nn.Linear(6, 4)

        def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
            states, _ = self.gru(self.embedding(tokens))
            scores = self.head(states).log_softmax(-1)
            return scores.argmax(-1), (scores.amax(-1) * (tokens != 0)).sum(-1)

    return dynamo(Tagger(), [(whole(0, 11, 2, 6),), (whole(0, 11, 4, 6),)], [{0: "batch"}])


@programs
def lstm_cell_written_out() -> Made:
    class Steps(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = nn.LSTMCell(3, 4)

        def forward(self, x: Tensor) -> Tensor:
            h = c = x.new_zeros(x.shape[0], 4)
            states: list[Tensor] = []
            for item in x.unbind(1):
                h, c = self.cell(item, (h, c))
                states.append(h)
            return torch.stack(states, 1)

    return dynamo(Steps(), [(tensor(2, 4, 3),), (tensor(5, 4, 3),)], [{0: "batch"}])


@programs
def convolutions_and_pools() -> Made:
    """Any height and width."""

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.SiLU(), nn.MaxPool2d(2)
            )
            self.depthwise = nn.Conv2d(4, 4, 3, padding=2, dilation=2, groups=4)
            self.up = nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            x = self.stem(x)
            x = x + F.hardswish(self.depthwise(x))
            return self.up(x), F.adaptive_avg_pool2d(x, 1).flatten(1)

    calls = [(tensor(1, 3, 8, 6),), (tensor(2, 3, 5, 10),)]
    return dynamo(Network(), calls, [{0: "batch", 2: "height", 3: "width"}])


@programs
def normalisations() -> Made:
    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.LayerNorm([4, 6])
            self.group = nn.GroupNorm(2, 4)
            self.instance = nn.InstanceNorm1d(4, affine=True)
            self.batch = nn.BatchNorm1d(4)

        def forward(self, x: Tensor) -> tuple[Tensor, ...]:
            return self.layer(x), self.group(x), self.instance(x), self.batch(x), F.normalize(x, dim=1)

    return dynamo(Network(), [(tensor(2, 4, 6),), (tensor(3, 4, 6),)], [{0: "batch"}])


@programs
def resized_and_sampled() -> Made:
    def run(x: Tensor, grid: Tensor) -> tuple[Tensor, ...]:
        return (
            F.interpolate(x, scale_factor=2, mode="nearest"),
            F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=False),
            F.interpolate(x, size=(3, 9), mode="bicubic", align_corners=True),
            F.grid_sample(x, grid, align_corners=True, padding_mode="border"),
            F.pixel_shuffle(x, 2),
        )

    calls = [(tensor(1, 4, 4, 6), tensor(1, 3, 2, 2) / 2), (tensor(1, 4, 5, 3), tensor(1, 3, 2, 2) / 2)]
    return dynamo(run, calls, [{2: "height", 3: "width"}, None])


@programs
def quantised_there_and_back() -> Made:
    """Values of 8 bits between the layers, as torch's quantisation of exported programs leaves them."""
    from torch.ao.quantization.fx import _decomposed  # registers the operators

    assert _decomposed
    operators = torch.ops.quantized_decomposed

    def rounded(x: Tensor, *how: float | torch.dtype) -> Tensor:
        return operators.dequantize_per_tensor(operators.quantize_per_tensor(x, *how), *how)

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 3)

        def forward(self, x: Tensor) -> Tensor:
            x = rounded(x, 0.0625, 3, -128, 127, torch.int8)
            return self.second(rounded(self.first(x).relu(), 0.03125, 0, 0, 255, torch.uint8))

    return dynamo(Network(), [(tensor(2, 6),), (tensor(5, 6),)], [{0: "rows"}])


@programs
def half_precision() -> Made:
    """f16: numbers with few bits, so that no order of sums matters."""

    def run(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        y = x @ weight
        return torch.where(y > 0, y, y / 4), (y.abs().amax(-1) * 2).to(torch.float32)

    def call(rows: int) -> tuple[Tensor, Tensor]:
        return whole(-4, 5, rows, 6).half() / 4, whole(-4, 5, 6, 3).half() / 2

    return dynamo(run, [call(2), call(5)], [{0: "rows"}, None])


@programs
def bfloat16_between() -> Made:
    def run(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        a = x.to(torch.bfloat16)
        return (a * 3 + y).to(torch.float32), torch.maximum(a, y)

    def call(rows: int) -> tuple[Tensor, Tensor]:
        return tensor(rows, 4), whole(-8, 9, rows, 4).bfloat16() / 4

    return dynamo(run, [call(2), call(3)], [{0: "rows"}, {0: "rows"}], deviates="feeds of bfloat16")


@programs
def mixture_without_branches() -> Made:
    """Tokens go to the best two of four experts, weighed by their gates."""

    class Mixture(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate = nn.Linear(4, 4)
            self.weight = nn.Parameter(torch.zeros(4, 4, 4))

        def forward(self, x: Tensor) -> Tensor:
            gates, experts = self.gate(x).softmax(-1).topk(2, -1)
            every = torch.einsum("nd,edf->nef", x, self.weight).relu()
            chosen = every.gather(1, experts.unsqueeze(-1).expand(-1, -1, 4))
            return (chosen * (gates / gates.sum(-1, keepdim=True)).unsqueeze(-1)).sum(1)

    return dynamo(Mixture(), [(tensor(5, 4),), (tensor(2, 4),)], [{0: "tokens"}])


@programs
def beam_step() -> Made:
    """One step of a beam search: scores, tokens, and the histories in their new order."""

    def run(scores: Tensor, steps: Tensor, history: Tensor) -> tuple[Tensor, Tensor]:
        beams, words = steps.shape
        best, places = (scores.unsqueeze(1) + steps.log_softmax(-1)).reshape(-1).topk(beams)
        parents = torch.div(places, words, rounding_mode="floor")
        return best, torch.cat([history[parents], (places % words).unsqueeze(1)], 1)

    calls = [(tensor(3), tensor(3, 6), whole(0, 6, 3, n)) for n in (2, 5, 0)]
    return dynamo(run, calls, [None, None, {1: "length"}])
