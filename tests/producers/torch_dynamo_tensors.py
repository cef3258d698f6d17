"""Tensors whose shapes depend on data or on their inputs, and operators on them, by torch.export."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.producers.fixtures import Made
from tests.producers.torch_dynamo_control import programs
from tests.producers.torch_export import dynamo, tensor, whole


@programs
def places_that_are_not_zero() -> Made:
    def run(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        places = x.nonzero()
        return places, x[x > 0], (x > 0).sum()

    x = tensor(3, 4) * (whole(0, 2, 3, 4) > 0)
    return dynamo(run, [(x,), (torch.zeros(2, 4),), (tensor(5, 4),)], [{0: "rows"}])


@programs
def rows_that_are_kept() -> Made:
    def run(boxes: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        kept = (scores > 0).nonzero().squeeze(1)
        order = scores[kept].argsort(descending=True)
        return boxes[kept][order], (boxes[kept][:, 2:] - boxes[kept][:, :2]).prod(-1)

    calls = [(tensor(n, 4), tensor(n, seed="s")) for n in (6, 3)] + [(tensor(2, 4), -torch.ones(2))]
    apart = "ONNX Runtime gives another shape for a product over axis -1 of no rows"
    return dynamo(run, calls, [{0: "boxes"}, {0: "boxes"}], deviates=apart)


@programs
def sorting_and_selecting() -> Made:
    def run(x: Tensor) -> tuple[Tensor, ...]:
        values, order = x.sort(dim=1, descending=True)
        return values, order, *x.topk(2, dim=0, largest=False), x.argmin(1), x.amax((0, 1))

    return dynamo(run, [(tensor(3, 5),), (tensor(6, 5),)], [{0: "rows"}])


@programs
def cumulative() -> Made:
    def run(x: Tensor, n: Tensor) -> tuple[Tensor, ...]:
        return x.cumsum(1), n.cumsum(0), x.flip(1).cumsum(1).flip(1), x.exp().cumsum(0).log(), x.diff(dim=1)

    calls = [(tensor(2, 4), whole(-9, 9, 5)), (tensor(3, 1), whole(-9, 9, 2))]
    return dynamo(run, calls, [{0: "rows", 1: "columns"}, {0: "n"}])


@programs
def padded_and_rolled() -> Made:
    def run(x: Tensor) -> tuple[Tensor, ...]:
        return (
            F.pad(x, (1, 2, 0, 3), value=-1.5),
            F.pad(x, (2, 1), mode="reflect"),
            F.pad(x, (1, 1), mode="replicate"),
            x.roll(2, 1),
            x.roll((1, -1), (0, 1)),
        )

    return dynamo(run, [(tensor(2, 4),), (tensor(5, 3),)], [{0: "rows", 1: "columns"}])


@programs
def sums_over_letters() -> Made:
    def run(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        return (
            torch.einsum("bij,bjk->bik", a, b),
            torch.einsum("bij,bjk->b", a, b),
            torch.einsum("bii->bi", a @ b @ a.new_ones(2, 3)),
            torch.einsum("...ij->...ji", b),
        )

    calls = [(tensor(n, 3, 4), tensor(n, 4, 2)) for n in (2, 3)]
    return dynamo(run, calls, [{0: "batch"}, {0: "batch"}])


@programs
def shapes_are_computed() -> Made:
    """Windows, their number and their sums: every extent is arithmetic on the input's."""

    def run(x: Tensor) -> tuple[Tensor, ...]:
        n = x.shape[0]
        grid = torch.arange(n).unsqueeze(1) * 10 + torch.arange(2 * n)
        return grid, x.reshape(-1, 2).sum(1), x.repeat(2).unsqueeze(0).expand(3, -1), x[: n // 2], x[1::2]

    return dynamo(
        run, [(tensor(6),), (tensor(4),), (tensor(10),)], [{0: 2 * torch.export.Dim("half", min=1)}]
    )


@programs
def scattered_and_gathered() -> Made:
    def run(x: Tensor, where: Tensor) -> tuple[Tensor, ...]:
        y = x.clone()
        y[where] = 7
        return (
            y,
            x.index_put((where,), torch.ones(()), accumulate=True),
            torch.zeros(x.shape[0], 4).scatter(1, where.unsqueeze(0).expand(x.shape[0], -1) % 4, x[:, :3]),
            x.gather(0, where.reshape(1, 3)),
            x.scatter_reduce(0, where.unsqueeze(1).expand(-1, 3), torch.ones(3, 3), "amax"),
        )

    calls = [(tensor(n, 3), torch.tensor(w)) for n, w in ((5, [0, 4, 0]), (4, [3, 2, 1]))]
    return dynamo(run, calls, [{0: "rows"}, None])


@programs
def integers_and_booleans() -> Made:
    def run(a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        return (
            torch.div(a, b, rounding_mode="floor"),
            a % b,
            torch.div(a, b, rounding_mode="trunc"),
            torch.fmod(a, b),
            (a > b) & ~(a == 3) | (b < 0),
            a.to(torch.uint8) >> 1,
            (a ^ b).to(torch.int32),
            a.clamp(-3, 3).to(torch.int8).abs(),
        )

    def call(n: int) -> tuple[Tensor, Tensor]:
        b = whole(-5, 6, n, seed="b")
        return whole(-20, 21, n), torch.where(b == 0, 7, b)

    wrong = "the exporter's shift of uint8 gives int8"
    return dynamo(run, [call(8), call(3)], [{0: "n"}, {0: "n"}], wrong=wrong)


@programs
def masks_and_triangles() -> Made:
    def run(lengths: Tensor, x: Tensor) -> tuple[Tensor, ...]:
        n = x.shape[1]
        valid = torch.arange(n) < lengths.unsqueeze(1)
        scores = (x.unsqueeze(1) * x.unsqueeze(2)).masked_fill(~valid.unsqueeze(1), float("-inf"))
        causal = torch.ones(n, n).tril().bool()
        seen = scores.masked_fill(~causal, float("-inf")).softmax(-1)
        return seen, valid.sum(), torch.triu(x, 1), x.where(valid, 0.0).logsumexp(-1)

    calls = [(torch.tensor([3, 1]), tensor(2, 4)), (torch.tensor([2, 2, 5]), tensor(3, 5))]
    return dynamo(run, calls, [{0: "batch"}, {0: "batch", 1: "n"}])


@programs
def pieces_of_a_list() -> Made:
    """Lists of tensors go in and come out."""

    def run(pieces: list[Tensor]) -> list[Tensor]:
        whole = torch.cat(pieces, 0)
        return [piece - whole.mean(0) for piece in pieces] + list(whole.split(2, 1))

    calls = [([tensor(n, 3), tensor(m, 3)],) for n, m in ((2, 4), (3, 1))]
    return dynamo(run, calls, [[{0: "n"}, {0: "m"}]])


@programs
def functions_stay_functions() -> Made:
    """Without optimisation the exporter's own functions are called."""

    def run(x: Tensor) -> tuple[Tensor, ...]:
        return F.gelu(x, approximate="tanh"), x.std(-1), F.softplus(x), F.hardtanh(x), F.elu(x), F.glu(x, -1)

    return dynamo(run, [(tensor(2, 6),), (tensor(3, 6),)], [{0: "rows"}], optimize=False)


@programs
def distances_and_histograms() -> Made:
    def run(a: Tensor, b: Tensor, values: Tensor) -> tuple[Tensor, ...]:
        apart = (a.unsqueeze(1) - b.unsqueeze(0)).square().sum(-1)
        edges = torch.tensor([-1.0, 0.0, 1.0])
        return (
            apart.sqrt(),
            apart.argmin(1),
            torch.bucketize(values, edges),
            F.one_hot(apart.argmin(1), 8).sum(0),
        )

    calls = [(tensor(n, 2), tensor(m, 2), tensor(4)) for n, m in ((3, 5), (6, 2))]
    return dynamo(run, calls, [{0: "n"}, {0: "m"}, None])


@programs
def repeated_and_unfolded() -> Made:
    def run(x: Tensor, counts: Tensor) -> tuple[Tensor, ...]:
        return (
            x.repeat_interleave(3, 0),
            x.unfold(1, 3, 2),
            x.tile(2, 1),
            x.narrow(1, 1, 2),
            x[counts.sum() % 2],
        )

    calls = [(tensor(n, 7), whole(0, 4, 5)) for n in (2, 3)]
    return dynamo(run, calls, [{0: "rows"}, None])
