"""Graph dump as JSON.

It has the operations by name with their attributes, operands and the known facts about their results.

`DUMP_TO` is the folder of the files, one for each phase.
"""

import json
import os

import numpy as np


def write(graph, phase):
    """Writes `<phase>.json`."""
    with open(os.path.join(os.environ["DUMP_TO"], phase + ".json"), "w") as file:
        json.dump(told(graph), file)


def told(graph):
    """Operations by name; graphs in a node under the attribute that has them."""
    return {str(node.soft_get("name", node.id)): operation(node) for node in graph.get_op_nodes()}


def operation(node):
    """One operation."""
    return {
        "op": node.soft_get("op", None),
        "type": node.soft_get("type", None),
        "version": node.soft_get("version", None),
        "attributes": {k: plain(v) for k, v in node.attrs().items() if plain(v) is not None},
        "inputs": {str(port): source(node, port) for port in node.in_ports()},
        "outputs": {str(port): known(node, port) for port in node.out_ports()},
        "graphs": {
            name: told(node[name])
            for name in node.soft_get("sub_graphs", None) or ()
            if node[name] is not None
        },
    }


def source(node, port):
    """Name and output of what gives an input; None where nothing is connected."""
    found = None if node.in_port(port).disconnected() else node.in_port(port).get_source()
    return None if found is None else [str(found.node.soft_get("name", found.node.id)), found.idx]


def known(node, port):
    """Shape and value of an output; None in the front phase, and where nothing takes it."""
    if node.graph.stage == "front" or node.out_port(port).disconnected():
        return None
    data = node.out_port(port).data
    return {"shape": plain(data.get_shape()), "value": plain(data.get_value())}


def plain(value):
    """Numbers, texts, lists of them; arrays as lists, with None where an element is not known. None for all else."""
    if isinstance(value, np.ma.MaskedArray) and value.ndim:
        return [
            None if masked else plain(item)
            for item, masked in zip(value.data.tolist(), np.ma.getmaskarray(value).tolist())
        ]
    if isinstance(value, (np.ndarray, np.generic)):
        return None if value.dtype == object else value.tolist()
    if isinstance(value, (list, tuple)):
        items = [plain(item) for item in value]
        return None if any(item is None for item in items) else items
    return value if isinstance(value, (bool, int, float, str)) else None
