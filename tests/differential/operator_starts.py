"""Uses to begin with, of operations whose operands' shapes hang together too closely to be found by chance."""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.base import AttrValue

F32 = np.float32
BOXES = np.array([[0, 0, 2, 2], [0, 0.5, 2, 2.25], [3, 1, 1, 0], [1, 1, 1.5, 4], [0, 0, 0, 0]], F32)

CELL = {
    "x": np.linspace(-1, 1, 6),
    "h": np.linspace(-2, 1, 8),
    "w": np.linspace(-1, 2, 48),
    "r": np.linspace(-1, 1, 64),
}
"""Of a batch of 2, 3 numbers and 4 states, weights of 4 gates."""


def _cell(gates: int, states: int) -> tuple[np.ndarray, ...]:
    x, h = CELL["x"].reshape(2, 3).astype(F32), CELL["h"].reshape(2, 4).astype(F32)
    w, r = (
        CELL["w"].reshape(16, 3).astype(F32)[: 4 * gates],
        CELL["r"].reshape(16, 4).astype(F32)[: 4 * gates],
    )
    return (x, *[h] * states, w, r, np.linspace(-1, 1, 4 * gates).astype(F32))


def _floats(*shape: int) -> np.ndarray:
    return np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(F32)


def _sequence(gates: int, states: int) -> tuple[np.ndarray, ...]:
    """A batch of 2, 3 steps of 3 numbers, 4 states."""
    weights = _floats(1, 4 * gates, 3), _floats(1, 4 * gates, 4), _floats(1, 4 * gates)
    return (_floats(2, 3, 3), *[_floats(2, 1, 4)] * states, np.array([3, 2]), *weights)


STARTS: dict[str, tuple[tuple[np.ndarray | tuple[np.ndarray, ...], ...], dict[str, AttrValue]]] = {
    "ov.space_to_batch": (
        (
            np.arange(48.0).reshape(2, 4, 6).astype(F32),
            np.array([1, 2, 3]),
            np.array([0, 0, 1]),
            np.array([0, 2, 2]),
        ),
        {},
    ),
    "ov.batch_to_space": (
        (
            np.arange(48.0).reshape(12, 2, 2).astype(F32),
            np.array([1, 2, 3]),
            np.array([0, 0, 1]),
            np.array([0, 1, 0]),
        ),
        {},
    ),
    "ov.lstm_cell": (_cell(4, 2), {"hidden_size": 4}),
    "ov.gru_cell": (_cell(3, 1), {"hidden_size": 4}),
    "ov.rnn_cell": (_cell(1, 1), {"hidden_size": 4}),
    "ov.lstm_sequence": (_sequence(4, 2), {"hidden_size": 4, "direction": "forward"}),
    "ov.gru_sequence": (_sequence(3, 1), {"hidden_size": 4, "direction": "reverse"}),
    "ov.rnn_sequence": (_sequence(1, 1), {"hidden_size": 4, "direction": "forward"}),
    "ov.gather_tree": (
        (*[np.zeros((3, 2, 4), np.int32)] * 2, np.array([3, 2], np.int32), np.array(1, np.int32)),
        {},
    ),
    "ov.embedding_bag_offsets": (
        (_floats(5, 2), np.array([0, 1, 2]), np.array([0, 2]), np.array(-1), _floats(3)),
        {},
    ),
    "ov.embedding_bag_packed": ((_floats(5, 2), np.array([[0, 1, 2], [1, 1, 0]]), _floats(2, 3)), {}),
    "ov.embedding_segments_sum": (
        (_floats(5, 2), np.array([0, 1, 2]), np.array([0, 0, 1]), np.array(3), np.array(-1), _floats(3)),
        {},
    ),
    "ov.scaled_dot_product_attention": (
        (_floats(2, 3, 4), _floats(2, 5, 4), _floats(2, 5, 2), (_floats(3, 5),)),
        {"causal": False},
    ),
    "ov.ctc_greedy_decoder": ((_floats(3, 2, 4), np.ones((3, 2), F32)), {}),
    "ov.batch_norm_inference": ((_floats(2, 3, 4), *[_floats(3)] * 3, np.ones(3, F32)), {"epsilon": 0.1}),
    "ov.group_normalization": ((_floats(2, 4, 3), _floats(4), _floats(4)), {"num_groups": 2, "epsilon": 0.1}),
    "ov.extract_image_patches": (
        (_floats(1, 2, 4, 5),),
        {"sizes": [2, 2], "strides": [1, 1], "rates": [1, 1], "auto_pad": "valid"},
    ),
    "ov.reorg_yolo": ((_floats(1, 4, 2, 4),), {"stride": 2}),
    "ov.slice_scatter": (
        (_floats(4, 3), _floats(2, 3), np.array([0]), np.array([2]), np.array([1]), np.array([0])),
        {},
    ),
    "ov.einsum": (
        ((np.arange(6.0).reshape(2, 3).astype(F32), np.arange(12.0).reshape(3, 4).astype(F32)),),
        {"equation": "ij,jk->ik"},
    ),
    "ov.deformable_convolution": (
        (
            np.linspace(-2, 2, 32).reshape(1, 2, 4, 4).astype(F32),
            np.linspace(-1, 1, 72).reshape(1, 8, 3, 3).astype(F32),
            np.linspace(-1, 2, 24).reshape(3, 2, 2, 2).astype(F32),
        ),
        {},
    ),
    "ov.non_max_suppression": (
        (
            np.stack([BOXES, BOXES[::-1] * F32(1.5)]),
            np.linspace(-1, 2, 30).reshape(2, 3, 5).astype(F32),
            np.array(3),
            np.array(0.25, F32),
            np.array([0.5], F32),
            np.array(0.5, F32),
        ),
        {},
    ),
    "ov.col2im": (
        (np.arange(48.0).reshape(2, 4, 6).astype(F32), np.array([3, 4]), np.array([2, 2])),
        {},
    ),
    "ov.group_convolution": (
        (
            np.linspace(-2, 2, 60).reshape(1, 4, 3, 5).astype(F32),
            np.linspace(-1, 1, 48).reshape(2, 3, 2, 2, 2).astype(F32),
        ),
        {},
    ),
    "ov.group_convolution_backprop_data": (
        (
            np.linspace(-2, 2, 24).reshape(1, 4, 2, 3).astype(F32),
            np.linspace(-1, 1, 48).reshape(2, 2, 3, 2, 2).astype(F32),
        ),
        {},
    ),
    "ov.scatter_elements_update": (
        (np.zeros((3, 2), F32), np.array([[0, 1], [2, -1]]), np.array([[1.0, 2], [3, 4]], F32), np.array(0)),
        {},
    ),
    "ov.roi_align": (
        (np.linspace(-3, 3, 120).reshape(2, 3, 4, 5).astype(F32), BOXES[:3], np.array([1, 0, 1])),
        {"pooled_h": 2, "pooled_w": 3},
    ),
    "ov.require": (
        (np.arange(6.0).reshape(2, 3).astype(F32), np.array(True)),
        {"kind": "index", "reason": "there is no such thing"},
    ),
    "ov.from_slot": (
        (np.arange(12.0).astype(F32), np.array([2, 3])),
        {"least": [0, 1], "most": [3, 4]},
    ),
    "ov.roi_pooling": (
        (
            np.linspace(-3, 3, 120).reshape(2, 3, 4, 5).astype(F32),
            np.concatenate([np.array([[1], [0], [1]], F32), BOXES[:3]], 1),
        ),
        {"pooled_h": 2, "pooled_w": 3},
    ),
}
"""Operation → operands (absent optional ones at the end left out) and properties that `infer` accepts."""
