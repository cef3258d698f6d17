"""Networks that choose at run time what they compute: `cond`, `switch` and loops that end early."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def _block(x: Array, w: Array) -> Array:
    return x + jax.nn.relu(x @ w)


def skipnet(x: Array, layers: Array, gates: Array) -> Outputs:
    """Residual blocks in a loop, each of which a gate may skip."""

    def each(x: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
        w, gate = given
        open = x.mean(axis=0) @ gate > 0
        return lax.cond(open, lambda: _block(x, w), lambda: x), open

    y, used = lax.scan(each, x, (layers, gates))
    return {"y": y, "used": used}


def blockdrop(
    x: Array,
    policy: Array,
    layer0: Array,
    layer1: Array,
    layer2: Array,
    layer3: Array,
    layer4: Array,
    layer5: Array,
) -> Outputs:
    """Residual blocks one after the other, of which a policy network drops some at once."""
    kept = x.mean(axis=0) @ policy > 0
    for k, w in enumerate((layer0, layer1, layer2, layer3, layer4, layer5)):
        x = lax.cond(kept[k], _block, lambda x, _: x, x, w)
    return {"y": x}


def early_exit(x: Array, threshold: Array, layers: Array, heads: Array) -> Outputs:
    """Classifier that ends at the first layer whose answer is confident."""
    State = tuple[Array, Array, Array, Array]

    def layer(state: State) -> State:
        k, x, _, _ = state
        x = _block(x, layers[k])
        shares = jax.nn.softmax(x @ heads[k])
        return k + 1, x, shares.argmax(), shares.max()

    def going(state: State) -> Array:
        return (state[0] == 0) | ((state[0] < len(layers)) & (state[3] < threshold))

    none = jnp.zeros((), jnp.int64)
    used, _, label, confidence = lax.while_loop(going, layer, (none, x, none, jnp.zeros_like(threshold)))
    return {"label": label, "confidence": confidence, "layers_used": used}


def mixture_of_experts(
    x: Array, router: Array, expert0: Array, expert1: Array, expert2: Array, expert3: Array
) -> Outputs:
    """One of four experts for each token."""
    experts = (expert0, expert1, expert2, expert3)

    def token(_: None, row: Array) -> tuple[None, tuple[Array, Array]]:
        logits = row @ router
        best = logits.argmax()
        chosen = lax.switch(best, [lambda row, w=w: jnp.tanh(row @ w) for w in experts], row)
        return None, (jax.nn.softmax(logits).max() * chosen, best)

    _, (y, chosen) = lax.scan(token, None, x)
    return {"y": y, "chosen": chosen}


def cascade(image: Array, filters: Array, threshold: Array) -> Outputs:
    """Windows of an image, each of which passes stages until one rejects it."""
    State = tuple[Array, Array, Array]

    def window(_: None, at: Array) -> tuple[None, Array]:
        numbers = lax.dynamic_slice(image, (at // 7, at % 7), (4, 4)).reshape(-1)

        def stage(state: State) -> State:
            stage, count, _ = state
            passes = filters[stage] @ numbers > threshold
            return stage + 1, count + passes, passes

        none = jnp.zeros((), jnp.int64)
        first = (none, none, jnp.array(True))
        return None, lax.while_loop(lambda s: (s[0] < len(filters)) & s[2], stage, first)[1]

    return {"stages": lax.scan(window, None, jnp.arange(49))[1].reshape(7, 7)}
