"""Control flow that torch.export keeps: `cond`, `while_loop` and `scan`, alone and inside of each other."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, cond, nn
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from tests.producers.fixtures import Made, Programs
from tests.producers.torch_export import dynamo, tensor, whole

programs = Programs("torch-dynamo")
ROWS = {0: "rows"}


@programs
def cond_on_a_sum() -> Made:
    def run(x: Tensor) -> Tensor:
        return cond(x.sum() > 0, lambda x: x + 1, lambda x: torch.sin(x) * 2, (x,))

    x = tensor(3, 4)
    return dynamo(run, [(x,), (-x,), (tensor(5, 4),), (tensor(1, 4) - 3,)], [ROWS])


@programs
def cond_inside_cond() -> Made:
    def inner(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return cond(y.max() > 1, lambda x, y: (x * y, x - y), lambda x, y: (x.relu(), y.abs()), (x, y))

    def run(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return cond(x.mean() > 0, inner, lambda x, y: (y + 1, x.cumsum(0)), (x, y))

    x, y = tensor(4, 3), tensor(4, 3, seed="y")
    calls = [(x.abs(), y), (x.abs(), -y.abs()), (-x.abs(), y), (tensor(6, 3).abs(), tensor(6, 3, seed="y"))]
    return dynamo(run, calls, [ROWS, ROWS])


class Experts(nn.Module):
    """One of two networks, chosen by a score, and the score."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 1)
        self.small = nn.Linear(4, 3)
        self.large = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        score = self.gate(x).mean()
        return cond(score > 0, lambda x: self.small(x), lambda x: self.large(x), (x,)), score


@programs
def cond_of_two_networks() -> Made:
    return dynamo(Experts(), [(tensor(2, 4),), (-tensor(2, 4),), (tensor(7, 4),)], [ROWS])


@programs
def cond_on_a_predicate_input() -> Made:
    def run(flag: Tensor, x: Tensor) -> Tensor:
        return cond(flag, lambda x: x.softmax(-1), lambda x: x.flip(0) - x.amax(0), (x,)) * 2

    x = tensor(3, 5)
    return dynamo(run, [(torch.tensor(True), x), (torch.tensor(False), x)], [None, {0: "rows", 1: "columns"}])


@programs
def while_until_large() -> Made:
    """Newton's iteration for square roots, until the largest step is small or a limit is reached."""

    def run(a: Tensor) -> tuple[Tensor, Tensor]:
        def unfinished(count: Tensor, x: Tensor, step: Tensor) -> Tensor:
            return (step > 1e-4) & (count < 50)

        def body(count: Tensor, x: Tensor, step: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            following = (x + a / x) / 2
            return count + 1, following, (following - x).abs().max()

        start = (torch.tensor(0), torch.ones_like(a), torch.tensor(1.0))
        count, x, _ = while_loop(unfinished, body, start)
        return count, x

    return dynamo(run, [(tensor(4).abs() + 0.5,), (torch.tensor([9.0, 1e4]),), (torch.ones(1),)], [{0: "n"}])


@programs
def while_inside_while() -> Made:
    """Counts of Collatz's steps: the outer loop goes over the numbers, the inner one until 1."""

    def run(numbers: Tensor) -> Tensor:
        def outer_unfinished(i: Tensor, counts: Tensor) -> Tensor:
            return i < numbers.shape[0]

        def outer(i: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
            def unfinished(n: Tensor, steps: Tensor) -> Tensor:
                return n > 1

            def body(n: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
                return torch.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

            start = torch.index_select(numbers, 0, i.reshape(1)).squeeze(0)
            _, steps = while_loop(unfinished, body, (start, i * 0))
            return i + 1, counts + steps * (torch.arange(counts.shape[0]) == i)

        _, counts = while_loop(outer_unfinished, outer, (torch.tensor(0), torch.zeros_like(numbers)))
        return counts

    return dynamo(run, [(torch.tensor([6, 1, 7, 27]),), (torch.tensor([1, 2, 3]),)], [{0: "n"}])


@programs
def while_in_a_branch() -> Made:
    """(The exporter fails for a `cond` in the body of a `while_loop`.)"""

    def halved(x: Tensor) -> tuple[Tensor, Tensor]:
        def unfinished(i: Tensor, x: Tensor) -> Tensor:
            return x.abs().max() > 1

        i, x = while_loop(unfinished, lambda i, x: (i + 1, x / 2), (torch.zeros((), dtype=torch.int64), x))
        return i.clone(), x.clone()

    def run(x: Tensor) -> tuple[Tensor, Tensor]:
        return cond(x.sum() > 0, halved, lambda x: (x.shape[0] * torch.ones((), dtype=torch.int64), -x), (x,))

    calls = [(tensor(3, 2).abs() * 9,), (-tensor(3, 2).abs(),), (tensor(5, 2).abs() / 99,)]
    return dynamo(run, calls, [ROWS])


@programs
def while_greedy_decoding() -> Made:
    """Tokens into a buffer of fixed size until the end token or the buffer's end."""

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(7, 6)
            self.cell = nn.Linear(12, 6)
            self.head = nn.Linear(6, 7)

        def forward(self, state: Tensor, token: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            def unfinished(i: Tensor, token: Tensor, state: Tensor, out: Tensor) -> Tensor:
                return (i < 10) & (token != 0)

            def body(i: Tensor, token: Tensor, state: Tensor, out: Tensor) -> tuple[Tensor, ...]:
                joined = torch.cat([self.embedding(token), state], -1)
                state = torch.tanh(self.cell(joined)) * 3
                token = self.head(state).argmax(-1)
                return i + 1, token, state, torch.where(torch.arange(10) == i, token, out)

            start = (torch.tensor(0), token, state, torch.full((10,), -1))
            i, _, state, out = while_loop(unfinished, body, start)
            return i, state, out

    calls = [(tensor(6, seed=str(k)), torch.tensor(k)) for k in (1, 2, 3, 5)]
    return dynamo(Decoder(), calls)


@programs
def scan_running_sum() -> Made:
    def run(start: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        return scan(lambda c, v: (c + v, c * v), start, x, dim=0)

    calls = [(tensor(3), tensor(n, 3, seed=str(n))) for n in (4, 7, 2)]
    return dynamo(run, calls, [None, {0: "steps"}])


@programs
def scan_backwards_over_two() -> Made:
    def step(carry: Any, item: Any) -> Any:
        gate, value = item
        state = gate.sigmoid() * carry + (1 - gate.sigmoid()) * value
        return state, (state.clone(), state.amax(-1))

    def run(start: Tensor, gates: Tensor, values: Tensor) -> Any:
        return scan(step, start, (gates, values), dim=0, reverse=True)

    calls = [(tensor(2, 3), tensor(n, 2, 3), tensor(n, 2, 3, seed="v")) for n in (5, 2)]
    return dynamo(run, calls, [None, {0: "steps"}, {0: "steps"}])


@programs
def scan_with_weights() -> Made:
    """A recurrent network written with `scan`, its input's second dimension being time."""

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.of_input = nn.Linear(3, 4)
            self.of_state = nn.Linear(4, 4, bias=False)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            def step(state: Tensor, item: Tensor) -> tuple[Tensor, Tensor]:
                state = torch.tanh(self.of_input(item) + self.of_state(state))
                return state, state.clone()

            return scan(step, x.new_zeros(x.shape[0], 4), x, dim=1)

    calls = [(tensor(2, 5, 3),), (tensor(3, 8, 3),)]
    return dynamo(Recurrent(), calls, [{0: "batch", 1: "time"}])


@programs
def scan_with_cond_inside() -> Made:
    """Values above the running maximum are kept, others fade."""

    def step(carry: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        kept = cond(
            (value > carry).any(), lambda c, v: torch.maximum(c, v), lambda c, v: c * 0.9, (carry, value)
        )
        return kept, kept - value

    def run(x: Tensor) -> tuple[Tensor, Tensor]:
        return scan(step, torch.zeros(2), x, dim=0)

    return dynamo(run, [(tensor(6, 2),), (tensor(3, 2) - 2,)], [{0: "steps"}])


@programs
def viterbi() -> Made:
    """The best path of a hidden Markov model: forwards with `scan`, and back along what it kept."""

    def run(transitions: Tensor, emissions: Tensor) -> tuple[Tensor, Tensor]:
        def forwards(score: Tensor, emission: Tensor) -> tuple[Tensor, Tensor]:
            best, place = (score.unsqueeze(1) + transitions).max(0)
            return best + emission, place

        score, places = scan(forwards, emissions[0], emissions[1:], dim=0)

        def backwards(state: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
            before = place.gather(0, state)
            return before, before.clone()

        last = score.argmax(0, keepdim=True)
        _, path = scan(backwards, last, places, dim=0, reverse=True)
        return score.max(), torch.cat([path.squeeze(1), last])

    calls = [(tensor(4, 4), tensor(n, 4)) for n in (5, 9)]
    return dynamo(run, calls, [None, {0: "steps"}])


@programs
def while_power_iteration() -> Made:
    """The largest eigenvalue of a symmetric matrix of any size."""

    def run(matrix: Tensor) -> Tensor:
        square = matrix @ matrix.T + torch.eye(matrix.shape[0])

        def unfinished(i: Tensor, v: Tensor) -> Tensor:
            return i < 12

        def body(i: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
            following = square @ v
            return i + 1, following / following.norm()

        _, v = while_loop(unfinished, body, (torch.tensor(0), torch.ones(matrix.shape[0])))
        return v @ square @ v

    return dynamo(run, [(tensor(3, 3),), (tensor(5, 5),)], [{0: "n", 1: "n"}])


@programs
def cond_by_indices() -> Made:
    """Integers decide: rows that are named twice are summed, else taken."""

    def run(table: Tensor, indices: Tensor) -> Tensor:
        twice = (indices.unsqueeze(0) == indices.unsqueeze(1)).sum() > indices.shape[0]
        return cond(
            twice,
            lambda t, i: torch.zeros_like(t).index_add(0, i, t[i]),
            lambda t, i: t.index_fill(0, i, 0.0),
            (table, indices),
        )

    calls = [
        (tensor(5, 2), torch.tensor([0, 3, 3])),
        (tensor(5, 2), torch.tensor([4, 1, 2])),
        (tensor(5, 2), whole(0, 5, 6)),
    ]
    return dynamo(run, calls, [None, {0: "n"}])
