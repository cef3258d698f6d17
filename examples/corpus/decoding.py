"""Decoding of sequences: caches that grow, searches that end early."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, int64, integers, program

WORDS, WIDTH, END = 12, 10, 0
"""Tokens, hidden width, and the token that ends a text, of the small language model of this module."""
EMBEDDING = floats(201, WORDS, WIDTH)
RECURRENT = floats(202, WIDTH, WIDTH, scale=0.5)
HEAD = floats(203, WIDTH, WORDS, scale=1.2)
LANGUAGE_MODEL = {"embedding": EMBEDDING, "recurrent": RECURRENT, "head": HEAD}


def next_state(h: np.ndarray, token: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the language model's next state and logits."""
    h = np.tanh(EMBEDDING[token].astype(float) + h @ RECURRENT.astype(float))
    return h, h @ HEAD.astype(float)


def log_softmax(x: np.ndarray) -> np.ndarray:
    """Return the logarithms of probabilities."""
    return x - x.max() - np.log(np.exp(x - x.max()).sum())


STEP = """
              e = Gather <axis = 0> (embedding, token0)
              hr = MatMul (h0, recurrent)
              sum = Add (e, hr)
              h1 = Tanh (sum)
              logits = MatMul (h1, head)"""
"""A step of the language model, from `token0` and `h0` to `h1` and `logits`."""


@program("Vaswani et al., Attention Is All You Need, 2017; decoding with cached keys and values")
def attention_cache() -> Parts:
    """Causal attention token by token, with a cache of keys and values that grows."""
    wq, wk, wv = (floats(210 + k, 16, 16, scale=0.25) for k in range(3))

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        q, k, v = x @ wq.astype(float), x @ wk.astype(float), x @ wv.astype(float)
        scores = np.where(np.tri(len(x)) > 0, q @ k.T / 4, -np.inf)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        return {"y": weights / weights.sum(1, keepdims=True) @ v, "keys": k}

    return Parts(
        text="""
        (float[T,16] x) => (float[T,16] y, float[S,16] keys) {
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          keys, values, y = Loop (steps, yes, empty, empty) <body = step
            (int64 t, bool go, float[P,16] k0, float[P,16] v0) => (bool on, float[Q,16] k1, float[Q,16] v1, float[16] shown) {
              on = Identity (go)
              next = Add (t, i1)
              from = Unsqueeze (t, at0)
              to = Unsqueeze (next, at0)
              row = Slice (x, from, to, at0)
              q = MatMul (row, WQ)
              k = MatMul (row, WK)
              v = MatMul (row, WV)
              k1 = Concat <axis = 0> (k0, k)
              v1 = Concat <axis = 0> (v0, v)
              kt = Transpose <perm = [1, 0]> (k1)
              products = MatMul (q, kt)
              scores = Mul (products, quarter)
              weights = Softmax <axis = 1> (scores)
              mixed = MatMul (weights, v1)
              shown = Squeeze (mixed, at0)
          }>
        }""",
        weights={"WQ": wq, "WK": wk, "WV": wv, "empty": float32(np.zeros((0, 16))), "quarter": float32(0.25)},
        feeds=[{"x": floats(214, 24, 16)}, {"x": floats(215, 1, 16)}, {"x": floats(216, 3, 16)}],
        truth=truth,
        # Products of 16 twice, exponents up to 8, and a mean of 24.
        roundings=32 + 16 + 24,
    )


@program("Greedy search, as of any text generator")
def greedy_decoding() -> Parts:
    """A language model's likeliest tokens, until it says the end."""

    def truth(h: np.ndarray, limit: np.ndarray) -> dict[str, object]:
        token, tokens = 1, []
        while token != END and len(tokens) < limit:
            h, logits = next_state(h, token)
            token = int(logits.argmax())
            tokens.append(token)
        return {"tokens": int64(tokens), "last_h": h}

    return Parts(
        text=f"""
        (float[10] h, int64 limit) => (int64[T] tokens, float[10] last_h) {{
          last_h, token, tokens = Loop (limit, yes, h, i1) <body = step
            (int64 t, bool go, float[10] h0, int64 token0) => (bool on, float[10] h1, int64 token1, int64 shown) {{{STEP}
              token1 = ArgMax <axis = 0, keepdims = 0> (logits)
              shown = Identity (token1)
              ended = Equal (token1, i0)
              on = Not (ended)
          }}>
        }}""",
        weights=LANGUAGE_MODEL,
        feeds=[
            {"h": floats(220 + k, 10), "limit": int64(limit)} for k, limit in enumerate((40, 40, 40, 5, 0))
        ],
        truth=truth,
        # Products of 10, tanh; five steps' errors may add up.
        roundings=5 * 14,
    )


@program("Fan et al., Hierarchical Neural Story Generation, 2018")
def top_k_decoding() -> Parts:
    """Tokens drawn among the four likeliest by numbers that are given, until the end."""

    def truth(h: np.ndarray, draws: np.ndarray) -> dict[str, object]:
        token, tokens, probability = 1, [], 0.0
        for draw in draws:
            h, logits = next_state(h, token)
            best = np.argsort(-logits, kind="stable")[:4]
            shares = np.exp(log_softmax(logits[best]))
            chosen = min(int((np.cumsum(shares) < draw).sum()), 3)
            token, probability = int(best[chosen]), probability + np.log(shares[chosen])
            tokens.append(token)
            if token == END:
                break
        return {"tokens": int64(tokens), "score": np.float64(probability)}

    return Parts(
        text=f"""
        (float[10] h, float[N] draws) => (int64[T] tokens, float score) {{
          extents = Shape (draws)
          limit = Squeeze (extents)
          last_h, token, score, tokens = Loop (limit, yes, h, i1, f0) <body = step
            (int64 t, bool go, float[10] h0, int64 token0, float p0)
              => (bool on, float[10] h1, int64 token1, float p1, int64 shown) {{{STEP}
              values, places = TopK (logits, at4)
              shares = Softmax <axis = 0> (values)
              sums = CumSum (shares, i0)
              draw = Gather <axis = 0> (draws, t)
              below = Less (sums, draw)
              ones = Cast <to = 7> (below)
              count = ReduceSum <keepdims = 0> (ones)
              chosen = Min (count, i3)
              token1 = Gather <axis = 0> (places, chosen)
              share = Gather <axis = 0> (shares, chosen)
              logarithm = Log (share)
              p1 = Add (p0, logarithm)
              shown = Identity (token1)
              ended = Equal (token1, i0)
              on = Not (ended)
          }}>
        }}""",
        weights=LANGUAGE_MODEL,
        feeds=[
            {"h": floats(230 + k, 10), "draws": np.random.default_rng(k).random(n, np.float32)}
            for k, n in enumerate((30, 30, 3, 0))
        ],
        truth=truth,
        # Logits have errors of 40 units of up to ten, and up to 30 are added up.
        roundings=30 * 14,
        scale=10.0,
    )


@program("Lowerre, The Harpy Speech Recognition System, 1976; beams that have ended stay as they are")
def beam_search() -> Parts:
    """The three likeliest texts, until all have ended; then the paths backward."""
    beams = 3

    def truth(h: np.ndarray, limit: np.ndarray) -> dict[str, object]:
        found = [((1,), 0.0, h)] + [((1,), -1e9, h)] * (beams - 1)
        steps = 0
        while steps < limit and not (steps and all(text[-1] == END for text, _, _ in found)):
            longer = []
            for text, score, state in found:
                new, logits = next_state(state, text[-1])
                # (A text that has ended goes on with the end at no cost, and with nothing else.)
                done = steps and text[-1] == END
                costs = np.where(np.arange(WORDS) == END, 0.0, -1e9) if done else log_softmax(logits)
                longer += [((*text, token), score + costs[token], new) for token in range(WORDS)]
            found = sorted(longer, key=lambda each: -each[1])[:beams]
            steps += 1
        return {
            "texts": int64([text[1:] for text, _, _ in found]).reshape(beams, steps),
            "scores": np.array([score for _, score, _ in found]),
        }

    return Parts(
        text="""
        (float[10] h, int64 limit) => (int64[3,T] texts, float[3] scores) {
          row = Unsqueeze (h, at0)
          start = Expand (row, extents)
          hs, ends, scores, tokens, parents = Loop (limit, yes, start, first, alone) <body = step
            (int64 t, bool go, float[3,10] h0, int64[3] token0, float[3] s0)
              => (bool on, float[3,10] h1, int64[3] token1, float[3] s1, int64[3] tokens_shown, int64[3] parent) {
              e = Gather <axis = 0> (embedding, token0)
              hr = MatMul (h0, recurrent)
              sum = Add (e, hr)
              new = Tanh (sum)
              logits = MatMul (new, head)
              shares = LogSoftmax <axis = 1> (logits)
              done = Equal (token0, i0)
              column = Unsqueeze (done, at1)
              costs = Where (column, only_end, shares)
              before = Unsqueeze (s0, at1)
              all = Add (before, costs)
              flat = Reshape (all, last)
              s1, places = TopK (flat, at3)
              parent = Div (places, words)
              token1 = Mod (places, words)
              h1 = Gather <axis = 0> (new, parent)
              tokens_shown = Identity (token1)
              ended = Equal (token1, i0)
              numbers = Cast <to = 7> (ended)
              count = ReduceSum <keepdims = 0> (numbers)
              on = Less (count, i3)
          }>
          lengths = Shape <end = 1> (tokens)
          length = Squeeze (lengths)
          at, backward = Loop (length, yes, order) <body = back
            (int64 t, bool go, int64[3] at0_) => (bool on, int64[3] at1_, int64[3] shown) {
              on = Identity (go)
              left = Sub (length, t)
              k = Sub (left, i1)
              row_tokens = Gather <axis = 0> (tokens, k)
              row_parents = Gather <axis = 0> (parents, k)
              shown = Gather <axis = 0> (row_tokens, at0_)
              at1_ = Gather <axis = 0> (row_parents, at0_)
          }>
          forward = Slice (backward, last, lowest, at0, last)
          texts = Transpose <perm = [1, 0]> (forward)
        }""",
        weights={
            **LANGUAGE_MODEL,
            "extents": int64([beams, WIDTH]),
            "first": int64([1, 1, 1]),
            "alone": float32([0, -1e9, -1e9]),
            "only_end": float32(np.where(np.arange(WORDS) == END, 0, -1e9)),
            "words": int64(WORDS),
            "order": int64([0, 1, 2]),
            "lowest": int64([np.iinfo(np.int64).min]),
        },
        feeds=[{"h": floats(240 + k, 10), "limit": int64(limit)} for k, limit in enumerate((24, 24, 3, 1))],
        truth=truth,
        # Logits of up to ten have errors of 40 units, and up to 24 are added up.
        roundings=24 * 14,
        scale=10.0,
    )


@program(
    "Leviathan et al., Fast Inference from Transformers via Speculative Decoding, 2023; greedy verification"
)
def speculative_decoding() -> Parts:
    """Four tokens guessed by a small model; the large one keeps those it would have said, and adds one."""
    target = floats(251, 16, 16)
    # The draft is wrong about some tokens.
    draft = np.where(integers(252, 0, 3, 16, 1) == 0, floats(253, 16, 16), target).astype(np.float32)

    def truth(first: np.ndarray, least: np.ndarray) -> dict[str, object]:
        text, rounds = [int(first)], 0
        while len(text) <= least:
            guesses = [text[-1]]
            for _ in range(4):
                guesses.append(int(draft[guesses[-1]].argmax()))
            kept = 0
            while kept < 4 and target[guesses[kept]].argmax() == guesses[kept + 1]:
                kept += 1
            text += [*guesses[1 : kept + 1], int(target[guesses[kept]].argmax())]
            rounds += 1
        said = [int(first)]
        while len(said) < len(text):
            said.append(int(target[said[-1]].argmax()))
        assert text == said, "speculation changes nothing but the speed"
        return {"text": int64(said), "rounds": rounds}

    return Parts(
        text="""
        (int64 first, int64 least) => (int64[T] text, int64 rounds) {
          start = Unsqueeze (first, at0)
          enough = Less (i0, least)
          text, rounds = Loop (, enough, start, i0) <body = round
            (int64 t, bool go, int64[P] text0, int64 r0) => (bool on, int64[Q] text1, int64 r1) {
              newest = Gather <axis = 0> (text0, minus)
              token, guesses = Loop (i4, yes, newest) <body = guess
                (int64 g, bool more, int64 token0) => (bool more1, int64 token1, int64 shown) {
                  more1 = Identity (more)
                  row = Gather <axis = 0> (draft, token0)
                  token1 = ArgMax <axis = 0, keepdims = 0> (row)
                  shown = Identity (token1)
              }>
              newest1 = Unsqueeze (newest, at0)
              asked = Concat <axis = 0> (newest1, guesses)
              rows = Gather <axis = 0> (target, asked)
              answers = ArgMax <axis = 1, keepdims = 0> (rows)
              compared = Slice (answers, at0, at4)
              equal = Equal (compared, guesses)
              kept = Loop (i4, yes, i0) <body = verify (int64 v, bool more, int64 k0) => (bool same, int64 k1) {
                  same = Gather <axis = 0> (equal, v)
                  one = Cast <to = 7> (same)
                  k1 = Add (k0, one)
              }>
              count = Add (kept, i1)
              to = Unsqueeze (count, at0)
              said = Slice (answers, at0, to)
              text1 = Concat <axis = 0> (text0, said)
              r1 = Add (r0, i1)
              length = Size (text1)
              on = LessOrEqual (length, least)
          }>
        }""",
        weights={"target": target, "draft": draft, "minus": int64(-1)},
        feeds=[{"first": int64(f), "least": int64(n)} for f, n in ((3, 32), (7, 32), (5, 1), (2, 0))],
        truth=truth,
    )
