# ruff: noqa: B007, UP006, UP035 -- TorchScript reads this source, and knows only the older notations.
"""Loops, branches and lists that TorchScript compiles, through torch's older exporter."""

from __future__ import annotations

from typing import List, Tuple

import torch
from torch import Tensor, nn

from tests.producers.fixtures import Made, Programs
from tests.producers.torch_export import script, tensor, whole

programs = Programs("torch-script")


class CountedLoop(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        for i in range(n):
            x = x * 0.5 + i
        return x


@programs
def loop_of_counted_trips() -> Made:
    calls = [(tensor(2, 3), torch.tensor(n)) for n in (3, 0, 6)]
    return script(CountedLoop(), calls, {"x": [0]}, names=["x", "n"])


class WhileLarge(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, int]:
        count = 0
        while bool(x.abs().sum() > 1.0) and count < 20:
            x = x / 3
            count += 1
        return x, count


@programs
def while_with_two_conditions() -> Made:
    return script(
        WhileLarge(), [(tensor(4) * 10,), (tensor(4) / 99,), (tensor(3) * 1e30,)], {"x": [0]}, names=["x"]
    )


class Break(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, int]:
        total = torch.zeros_like(x[0])
        rows = 0
        for i in range(x.shape[0]):
            if bool(x[i].sum() < 0):
                break
            if bool(x[i, 0] > 1):
                continue
            total = total + x[i]
            rows += 1
        return total, rows


@programs
def loop_with_break_and_continue() -> Made:
    x = tensor(6, 3).abs()
    later, skipped = x.clone(), x.clone()
    later[4] = -1
    skipped[2, 0] = 5
    return script(Break(), [(x,), (later,), (skipped,), (-x[:2],)], {"x": [0, 1]}, names=["x"])


class Nested(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        table = torch.zeros(x.shape[0], x.shape[1])
        for i in range(x.shape[0]):
            best = torch.zeros(1)
            for j in range(i + 1):
                best = torch.maximum(best, x[i, : j + 1].sum().reshape(1))
            table[i] = x[i] - best
        return table


@programs
def loop_in_a_loop_that_is_longer_each_time() -> Made:
    return script(Nested(), [(tensor(3, 3),), (tensor(5, 6),)], {"x": [0, 1]}, names=["x"])


class Branches(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[0] > 3:
            y = x[:2].sum(0, keepdim=True)
        elif bool(x.max() > 1):
            y = torch.cat([x, x])
        else:
            y = x - 1
        return y * 2


@programs
def branches_of_other_shapes() -> Made:
    x = tensor(2, 3)
    return script(Branches(), [(x / 99,), (x + 5,), (tensor(4, 3),)], {"x": [0]}, names=["x"])


class ReturnsInBranches(nn.Module):
    """(The exporter fails for a return out of a loop.)"""

    def forward(self, x: Tensor) -> Tensor:
        done = False
        for i in range(4):
            if not done:
                x = x * x.abs().sqrt()
                done = bool(x.abs().max() > 100)
        if done:
            return x.sum(0)
        return x.mean(0)


@programs
def returns_in_branches() -> Made:
    return script(ReturnsInBranches(), [(tensor(3, 2),), (tensor(5, 2) * 40,)], {"x": [0]}, names=["x"])


class AppendAndStack(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        kept: List[Tensor] = []
        for row in x.unbind(0):
            kept.append(row.cumsum(0))
        kept.append(x[0])
        return torch.stack(kept, 1)


@programs
def list_appended_and_stacked() -> Made:
    return script(AppendAndStack(), [(tensor(3, 4),), (tensor(1, 4),)], {"x": [0]}, names=["x"])


class ListOfLengths(nn.Module):
    def forward(self, x: Tensor, lengths: Tensor) -> List[Tensor]:
        pieces: List[Tensor] = []
        start = 0
        for i in range(lengths.shape[0]):
            end = start + int(lengths[i])
            pieces.append(x[start:end])
            start = end
        return pieces


@programs
def list_of_pieces_is_the_output() -> Made:
    calls = [(tensor(6, 2), torch.tensor(t)) for t in ([1, 3, 2], [0, 6], [2, 2, 1, 1])]
    return script(ListOfLengths(), calls, {"x": [0], "lengths": [0]}, names=["x", "lengths"])


class ListOperations(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, int]:
        parts = list(torch.split(x, 2))
        parts.insert(1, x[:1])
        last = parts.pop(-1)
        parts[0] = parts[0] * 2
        return torch.cat(parts), last + parts[-1].sum(0), len(parts)


@programs
def list_inserted_popped_and_set() -> Made:
    return script(ListOperations(), [(tensor(6, 3),), (tensor(4, 3),)], {"x": [0]}, names=["x"], opset=14)


class Greedy(nn.Module):
    """Embeds the last token, attends to all states so far, and goes on until token 0 or ten tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(9, 4)
        self.head = nn.Linear(4, 9)

    def forward(self, token: Tensor) -> Tuple[Tensor, Tensor]:
        tokens = token
        states = self.embedding(token)
        while int(tokens[-1]) != 0 and tokens.shape[0] < 10:
            weights = torch.softmax(states @ states[-1], 0)
            state = torch.tanh(weights @ states).unsqueeze(0)
            following = self.head(state * 2).argmax(-1)
            tokens = torch.cat([tokens, following])
            states = torch.cat([states, self.embedding(following) + state])
        return tokens, states


@programs
def greedy_decoding_with_growing_states() -> Made:
    return script(Greedy(), [(torch.tensor([t]),) for t in (1, 4, 7, 0)], names=["token"])


class StepLSTM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        outputs: List[Tensor] = []
        for t in range(x.shape[0]):
            h, c = self.cell(x[t], (h, c))
            outputs.append(h)
        return torch.stack(outputs), h, c


@programs
def lstm_cell_in_a_loop() -> Made:
    calls = [(tensor(n, b, 3), tensor(b, 4), tensor(b, 4, seed="c")) for n, b in ((4, 2), (7, 1))]
    return script(StepLSTM(), calls, {"x": [0, 1], "h": [0], "c": [0]}, names=["x", "h", "c"])


class Bubble(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, int]:
        swaps = 0
        changed = True
        while changed:
            changed = False
            for i in range(x.shape[0] - 1):
                if bool(x[i] > x[i + 1]):
                    x = torch.cat([x[:i], x[i + 1 : i + 2], x[i : i + 1], x[i + 2 :]])
                    swaps += 1
                    changed = True
        return x, swaps


@programs
def bubble_sort() -> Made:
    calls = [(whole(-9, 9, 5),), (torch.arange(4),), (torch.arange(3).flip(0),)]
    return script(Bubble(), calls, {"x": [0]}, names=["x"])


class Levenshtein(nn.Module):
    """The edit distance of two words, a row of the table in each iteration."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        row = torch.arange(b.shape[0] + 1)
        for i in range(a.shape[0]):
            left = row[0] + 1
            following = left.unsqueeze(0)
            for j in range(b.shape[0]):
                changed = row[j] + (a[i] != b[j]).long()
                left = torch.minimum(torch.minimum(left + 1, row[j + 1] + 1), changed)
                following = torch.cat([following, left.unsqueeze(0)])
            row = following
        return row[-1]


@programs
def edit_distance() -> Made:
    words = [([1, 2, 3, 4], [1, 3, 4]), ([1, 1, 2], [2, 1, 1, 3, 2]), ([5], [5])]
    calls = [(torch.tensor(a), torch.tensor(b)) for a, b in words]
    return script(Levenshtein(), calls, {"a": [0], "b": [0]}, names=["a", "b"])


class Longest(nn.Module):
    def forward(self, x: Tensor, twice: bool) -> Tensor:
        best: Tensor = x[0]
        for i in range(1, x.shape[0]):
            row = x[i]
            if bool((row * row).sum() > (best * best).sum()):
                best = row
        if twice:
            best = best * 2
        return best


@programs
def best_row_and_a_flag() -> Made:
    calls = [(tensor(n, 3), torch.tensor(flag)) for n, flag in ((4, True), (2, False), (1, True))]
    return script(Longest(), calls, {"x": [0]}, names=["x", "twice"])


class KMeans(nn.Module):
    """Until no centre moves; a cluster without points keeps its centre."""

    def forward(self, points: Tensor, centres: Tensor) -> Tuple[Tensor, Tensor, int]:
        rounds = 0
        moved = True
        nearest = torch.zeros(points.shape[0], dtype=torch.long)
        while moved and rounds < 15:
            nearest = (points.unsqueeze(1) - centres.unsqueeze(0)).pow(2).sum(-1).argmin(1)
            following = centres
            for k in range(centres.shape[0]):
                own = points[nearest == k]
                if own.shape[0] > 0:
                    mean = own.mean(0, keepdim=True)
                    following = torch.cat([following[:k], mean, following[k + 1 :]])
            moved = bool((following - centres).abs().max() > 1e-4)
            centres = following
            rounds += 1
        return centres, nearest, rounds


@programs
def k_means() -> Made:
    calls = [(tensor(n, 2), tensor(n, 2)[:k]) for n, k in ((8, 2), (6, 3))]
    return script(KMeans(), calls, {"points": [0], "centres": [0]}, names=["points", "centres"])


class ThreeDeep(nn.Module):
    def forward(self, n: int) -> Tensor:
        triples = torch.zeros(0, 3, dtype=torch.long)
        for a in range(1, n):
            for b in range(a, n):
                for c in range(b, n):
                    if a * a + b * b == c * c:
                        triples = torch.cat([triples, torch.tensor([a, b, c]).unsqueeze(0)])
        return triples


@programs
def pythagorean_triples() -> Made:
    apart = "the loops' bodies declare their carried value with the initial value's 0 rows, which ONNX Runtime insists on"
    return script(ThreeDeep(), [(torch.tensor(14),), (torch.tensor(3),)], names=["n"], deviates=apart)


class WhileTrue(nn.Module):
    def forward(self, x: Tensor, limit: int) -> Tuple[Tensor, Tensor, int]:
        history: List[Tensor] = []
        steps = 0
        while True:
            if steps >= limit:
                break
            steps += 1
            if bool(x.sum() > 10):
                x = x / 4
                continue
            history.append(x.amax(0))
            x = x * 1.5 + steps
            if bool(x.abs().max() > 50):
                break
        return x, torch.stack(history), steps


@programs
def while_true_with_two_breaks() -> Made:
    calls = [(tensor(n, 2), torch.tensor(limit)) for n, limit in ((3, 8), (1, 30), (5, 1))]
    apart = "ONNX Runtime gives a scalar where the loop ends by its second break"
    return script(WhileTrue(), calls, {"x": [0]}, names=["x", "limit"], deviates=apart)


class BreakOfTwo(nn.Module):
    """The first pair that sums up to nothing."""

    def forward(self, x: Tensor) -> Tuple[int, int, Tensor]:
        first, second = -1, -1
        seen = torch.zeros(0, dtype=x.dtype)
        for i in range(x.shape[0]):
            for j in range(i + 1, x.shape[0]):
                if bool(x[i] + x[j] == 0):
                    first, second = i, j
                    break
                seen = torch.cat([seen, (x[i] + x[j]).unsqueeze(0)])
            if first >= 0:
                break
        return first, second, seen


@programs
def breaks_of_two_loops() -> Made:
    apart = "the loops' bodies declare what grows with the 0 elements that it starts with, which ONNX Runtime insists on"
    numbers = ([1, 2, -2, 4], [3, 1, 2, -1, -3], [1, 2, 3], [5])
    return script(
        BreakOfTwo(), [(torch.tensor(n),) for n in numbers], {"x": [0]}, names=["x"], deviates=apart
    )


class Helper(nn.Module):
    """A function that returns early, in a loop."""

    def weight(self, row: Tensor, rank: int) -> Tensor:
        if rank == 0:
            return row
        if bool(row.sum() < 0):
            return -row
        doubled = row * 2
        if rank > 2:
            return doubled.cumsum(0)
        return doubled + rank

    def forward(self, x: Tensor) -> Tensor:
        total = torch.zeros_like(x[0])
        for i in range(x.shape[0]):
            total = total + self.weight(x[i], i)
        return total


@programs
def function_with_early_returns() -> Made:
    return script(Helper(), [(tensor(5, 3),), (tensor(1, 3),), (-tensor(3, 4),)], {"x": [0, 1]}, names=["x"])
