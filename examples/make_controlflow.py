"""Makes `controlflow.xml` and `controlflow.bin` with OpenVINO's API: a TensorIterator, a Loop, and an If inside it.

The TensorIterator smooths the rows of x (an exponential moving average). The Loop then shrinks the last state until its largest
element is below a threshold or ten trips are over: while it is large (the If), it is halved, later it shrinks slowly. Every state is
kept, so the third output has as many rows as there were trips.

    python examples/make_controlflow.py
"""

from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset13 as op

ROWS, WIDTH = 8, 16


def constant(value, dtype=np.float32):
    return op.constant(np.asarray(value, dtype))


def smoothing(x):
    """A TensorIterator over the rows of x: state = (state + row) / 2; gives all states and the last."""
    row, state = op.parameter([1, WIDTH], np.float32), op.parameter([1, WIDTH], np.float32)
    mean = op.result(op.multiply(op.add(state, row), constant(0.5)))
    node = op.tensor_iterator()
    node.set_body(ov.Model([mean], [row, state], "smoothing"))
    node.set_sliced_input(row, x.output(0), 0, 1, 1, -1, 0)
    node.set_merged_input(state, constant(np.zeros((1, WIDTH))).output(0), mean.output(0))
    last = node.get_iter_value(mean.output(0), -1)
    return node.get_concatenated_slices(mean.output(0), 0, 1, 1, -1, 0), last


def shrink(state):
    """An If: halve what is large, take a twentieth off what is small."""
    energy = op.reduce_sum(op.multiply(state, state), constant([0, 1], np.int64), keep_dims=False)
    large, small = op.parameter([1, WIDTH], np.float32), op.parameter([1, WIDTH], np.float32)
    halved = op.result(op.multiply(large, constant(0.5)))
    lessened = op.result(op.subtract(small, op.multiply(small, constant(0.05))))
    node = op.if_op(op.greater(energy, constant(1.0)).output(0))
    node.set_then_body(ov.Model([halved], [large], "halve"))
    node.set_else_body(ov.Model([lessened], [small], "lessen"))
    node.set_input(state.output(0), large, small)
    return node.set_output(halved, lessened)


def settling(initial):
    """A Loop of at most ten trips that ends when the largest element is below 0.2; gives the last state and all of them."""
    state = op.parameter([1, WIDTH], np.float32)
    following = shrink(state)
    largest = op.reduce_max(op.abs(following), constant([0, 1], np.int64), keep_dims=False)
    again, result = op.result(op.greater(largest, constant(0.2))), op.result(following)
    node = op.loop(constant(10, np.int64), constant(True, np.bool_))
    node.set_function(ov.Model([again, result], [state], "settling"))
    node.set_special_body_ports([-1, 0])
    node.set_merged_input(state, initial, result.output(0))
    last = node.get_iter_value(result.output(0), -1)
    return last, node.get_concatenated_slices(result.output(0), 0, 1, 1, -1, 0)


def named(output, name):
    output.get_tensor().set_names({name})
    return output


def main() -> None:
    x = op.parameter([ROWS, WIDTH], np.float32, name="x")
    named(x.output(0), "x")
    smooth, last = smoothing(x)
    settled, states = settling(last)
    results = [named(smooth, "smooth"), named(settled, "settled"), named(states, "states")]
    model = ov.Model([op.result(r) for r in results], [x], "controlflow")
    path = Path(__file__).with_name("controlflow.xml")
    ov.serialize(model, path, path.with_suffix(".bin"))


if __name__ == "__main__":
    main()
