"""Networks that choose at run time what they compute: branches, early exits, detection."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, int64, program

BLOCKS, WIDTH = 6, 12
LAYERS = floats(301, BLOCKS, WIDTH, WIDTH, scale=0.3)


def block(x: np.ndarray, k: int) -> np.ndarray:
    """Return a residual block's output."""
    return x + np.maximum(x @ LAYERS[k].astype(float), 0)


@program("Wang et al., SkipNet: Learning Dynamic Routing in Convolutional Networks, 2018")
def skipnet() -> Parts:
    """Residual blocks in a loop, each of which a gate may skip."""
    gates = floats(302, BLOCKS, WIDTH)

    def truth(x: np.ndarray) -> dict[str, object]:
        used = []
        for k in range(BLOCKS):
            used.append(bool(x.mean(0) @ gates[k].astype(float) > 0))
            x = block(x, k) if used[-1] else x
        return {"y": x, "used": np.array(used)}

    return Parts(
        text="""
        (float[4,12] x) => (float[4,12] y, bool[6] used) {
          y, used = Loop (i6, yes, x) <body = each
            (int64 k, bool go, float[4,12] x0) => (bool on, float[4,12] x1, bool shown) {
              on = Identity (go)
              mean = ReduceMean <keepdims = 0> (x0, at0)
              gate = Gather <axis = 0> (gates, k)
              logit = MatMul (mean, gate)
              open = Greater (logit, f0)
              shown = Identity (open)
              x1 = If (open) <
                then_branch = run () => (float[4,12] a) {
                  w = Gather <axis = 0> (layers, k)
                  xw = MatMul (x0, w)
                  rectified = Relu (xw)
                  a = Add (x0, rectified) },
                else_branch = skip () => (float[4,12] b) { b = Identity (x0) }>
          }>
        }""",
        weights={"layers": LAYERS, "gates": gates},
        feeds=[{"x": floats(303 + k, 4, 12)} for k in range(3)] + [{"x": float32(np.zeros((4, 12)))}],
        truth=truth,
        # 14 roundings in each of six blocks; a block at most doubles a number.
        roundings=6 * 14 * 2,
    )


@program("Wu et al., BlockDrop: Dynamic Inference Paths in Residual Networks, 2018")
def blockdrop() -> Parts:
    """Residual blocks one after the other, of which a policy network drops some at once."""
    policy = floats(311, WIDTH, BLOCKS)

    def truth(x: np.ndarray) -> dict[str, object]:
        kept = x.mean(0) @ policy.astype(float) > 0
        for k in range(BLOCKS):
            x = block(x, k) if kept[k] else x
        return {"y": x}

    blocks = "\n".join(
        f"""
          keep{k} = Gather <axis = 0> (kept, i{k})
          x{k + 1} = If (keep{k}) <
            then_branch = run{k} () => (float[4,12] a{k}) {{
              xw{k} = MatMul (x{k}, layer{k})
              rectified{k} = Relu (xw{k})
              a{k} = Add (x{k}, rectified{k}) }},
            else_branch = drop{k} () => (float[4,12] b{k}) {{ b{k} = Identity (x{k}) }}>"""
        for k in range(BLOCKS)
    )
    return Parts(
        text=f"""
        (float[4,12] x) => (float[4,12] y) {{
          mean = ReduceMean <keepdims = 0> (x, at0)
          logits = MatMul (mean, policy)
          kept = Greater (logits, f0)
          x0 = Identity (x)
          {blocks}
          y = Identity (x{BLOCKS})
        }}""",
        weights={"policy": policy} | {f"layer{k}": LAYERS[k] for k in range(BLOCKS)},
        feeds=[{"x": floats(312 + k, 4, 12)} for k in range(3)] + [{"x": float32(np.zeros((4, 12)))}],
        truth=truth,
        roundings=6 * 14 * 2,  # As of skipnet.
    )


@program("Teerapittayanon et al., BranchyNet: Fast Inference via Early Exiting, 2016")
def early_exit() -> Parts:
    """Classifier that ends at the first layer whose answer is confident."""
    heads = floats(321, BLOCKS, WIDTH, 5, scale=0.4)

    def truth(x: np.ndarray, threshold: np.ndarray) -> dict[str, object]:
        for k in range(BLOCKS):
            x = block(x, k)
            weights = np.exp(x @ heads[k].astype(float))
            shares = weights / weights.sum()
            if shares.max() >= threshold:
                break
        return {"label": int(shares.argmax()), "confidence": shares.max(), "layers_used": k + 1}

    return Parts(
        text="""
        (float[12] x, float threshold) => (int64 label, float confidence, int64 layers_used) {
          y, label, confidence, layers_used = Loop (i6, yes, x, i0, f0, i0) <body = layer
            (int64 k, bool go, float[12] x0, int64 l0, float c0, int64 n0)
              => (bool on, float[12] x1, int64 l1, float c1, int64 n1) {
              w = Gather <axis = 0> (layers, k)
              xw = MatMul (x0, w)
              rectified = Relu (xw)
              x1 = Add (x0, rectified)
              head = Gather <axis = 0> (heads, k)
              logits = MatMul (x1, head)
              shares = Softmax <axis = 0> (logits)
              c1 = ReduceMax <keepdims = 0> (shares)
              l1 = ArgMax <axis = 0, keepdims = 0> (shares)
              n1 = Add (n0, i1)
              on = Less (c1, threshold)
          }>
        }""",
        weights={"layers": LAYERS, "heads": heads},
        feeds=[
            {"x": floats(322 + k, WIDTH), "threshold": float32(limit)}
            for k, limit in enumerate((0.9, 0.6, 0.1, 2.0))
        ],
        truth=truth,
        # Logits up to 30 have errors of six blocks, which exp passes on.
        roundings=30 * 6 * 14,
    )


@program(
    "Shazeer et al., Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer, 2017"
)
def mixture_of_experts() -> Parts:
    """One of four experts for each token, chosen by branches in branches."""
    router, experts = floats(331, 8, 4), floats(332, 4, 8, 8, scale=0.35)

    def truth(x: np.ndarray) -> dict[str, object]:
        shown, chosen = np.zeros((0, 8)), []
        for row in x:
            logits = row @ router.astype(float)
            chosen.append(int(logits.argmax()))
            share = 1 / np.exp(logits - logits.max()).sum()
            shown = np.vstack([shown, share * np.tanh(row @ experts[chosen[-1]].astype(float))])
        return {"y": shown, "chosen": int64(chosen)}

    def choice(k: int) -> str:
        run = f"h{k} = MatMul (row, expert{k})  a{k} = Tanh (h{k})"
        if k == 3:
            return run
        return f"""
              is{k} = Equal (best, i{k})
              a{k} = If (is{k}) <
                then_branch = run{k} () => (float[8] t{k}) {{ h{k} = MatMul (row, expert{k})  t{k} = Tanh (h{k}) }},
                else_branch = other{k} () => (float[8] a{k + 1}) {{ {choice(k + 1)} }}>"""

    return Parts(
        text=f"""
        (float[T,8] x) => (float[T,8] y, int64[T] chosen) {{
          extents = Shape <end = 1> (x)
          tokens = Squeeze (extents)
          y, chosen = Loop (tokens, yes) <body = token
            (int64 t, bool go) => (bool on, float[8] shown, int64 best_shown) {{
              on = Identity (go)
              row = Gather <axis = 0> (x, t)
              logits = MatMul (row, router)
              best = ArgMax <axis = 0, keepdims = 0> (logits)
              best_shown = Identity (best)
              shares = Softmax <axis = 0> (logits)
              share = ReduceMax <keepdims = 0> (shares)
              {choice(0)}
              shown = Mul (share, a0)
          }}>
        }}""",
        weights={"router": router} | {f"expert{k}": experts[k] for k in range(4)},
        feeds=[{"x": floats(333, 12, 8)}, {"x": floats(334, 1, 8)}, {"x": floats(335, 0, 8)}],
        truth=truth,
        # Products of 8 twice, exponents up to 10.
        roundings=8 + 8 + 20,
    )


@program("Viola and Jones, Rapid Object Detection using a Boosted Cascade of Simple Features, 2001")
def cascade() -> Parts:
    """Windows of an image, each of which passes stages until one rejects it."""
    filters = float32(np.linalg.qr(np.random.default_rng(341).standard_normal((16, 5)))[0].T)

    def truth(image: np.ndarray) -> dict[str, object]:
        passed = []
        for y, x in np.ndindex(7, 7):
            window = image[y : y + 4, x : x + 4].ravel()
            count = 0
            while count < 5 and filters[count].astype(float) @ window > -0.2:
                count += 1
            passed.append(count)
        return {"stages": np.reshape(passed, (7, 7))}

    return Parts(
        text="""
        (float[10,10] image) => (int64[7,7] stages) {
          flat = Loop (i49, yes) <body = window (int64 w, bool go) => (bool on, int64 count) {
              on = Identity (go)
              y = Div (w, i7)
              x = Mod (w, i7)
              y1 = Unsqueeze (y, at0)
              x1 = Unsqueeze (x, at0)
              from = Concat <axis = 0> (y1, x1)
              to = Add (from, i4)
              part = Slice (image, from, to)
              numbers = Reshape (part, last)
              count = Loop (i5, yes, i0) <body = stage (int64 s, bool more, int64 n0) => (bool passes, int64 n1) {
                  weights = Gather <axis = 0> (filters, s)
                  response = MatMul (weights, numbers)
                  passes = Greater (response, threshold)
                  one = Cast <to = 7> (passes)
                  n1 = Add (n0, one)
              }>
          }>
          stages = Reshape (flat, square)
        }""",
        weights={"filters": filters, "threshold": float32(-0.2), "i49": int64(49), "square": int64([7, 7])},
        feeds=[{"image": floats(342, 10, 10)}, {"image": float32(np.zeros((10, 10)))}],
        truth=truth,
    )


@program("Greedy non-maximum suppression; ONNX NonMaxSuppression for one class")
def nms_by_loop() -> Parts:
    """The best box that is left, until none is: others that overlap it are removed."""
    limit = 0.5

    def truth(boxes: np.ndarray, scores: np.ndarray) -> dict[str, object]:
        def overlap(a: np.ndarray, b: np.ndarray) -> float:
            low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
            common = np.prod(np.maximum(high - low, 0))
            return common / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - common)

        kept: list[int] = []
        for k in np.argsort(-scores, kind="stable"):
            if scores[k] > 0 and all(overlap(boxes[k], boxes[other]) <= limit for other in kept):
                kept.append(int(k))
        return {"kept": int64(kept)}

    def given(seed: int, count: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        corner, size = rng.random((count, 2)), rng.uniform(0.2, 0.5, (count, 2))
        return {
            "boxes": float32(np.hstack([corner, corner + size])),
            "scores": float32(rng.uniform(-0.2, 1, count)),
        }

    return Parts(
        text="""
        (float[N,4] boxes, float[N] scores) => (int64[K] kept) {
          lows = Slice (boxes, at0, at2, at1)
          highs = Slice (boxes, at2, at4, at1)
          sides = Sub (highs, lows)
          areas = ReduceProd <keepdims = 0> (sides, at1)
          count = Size (scores)
          zeros = Mul (scores, f0)
          padded = Concat <axis = 0> (scores, none)
          first = ReduceMax <keepdims = 0> (padded)
          any = Greater (first, f0)
          left, kept = Loop (count, any, scores) <body = pick
            (int64 t, bool go, float[N] s0) => (bool on, float[N] s1, int64 best) {
              best = ArgMax <axis = 0, keepdims = 0> (s0)
              low = Gather <axis = 0> (lows, best)
              high = Gather <axis = 0> (highs, best)
              area = Gather <axis = 0> (areas, best)
              from = Max (lows, low)
              to = Min (highs, high)
              extent = Sub (to, from)
              positive = Relu (extent)
              common = ReduceProd <keepdims = 0> (positive, at1)
              total = Add (areas, area)
              union = Sub (total, common)
              share = Div (common, union)
              near = Greater (share, half)
              s1 = Where (near, nothing, s0)
              largest = ReduceMax <keepdims = 0> (s1)
              on = Greater (largest, f0)
          }>
        }""",
        weights={"nothing": float32(-1), "none": float32([-1])},
        feeds=[
            given(351, 40),
            given(352, 1),
            {"boxes": given(353, 4)["boxes"], "scores": float32([-1, -1, -1, -1])},
        ],
        truth=truth,
    )
