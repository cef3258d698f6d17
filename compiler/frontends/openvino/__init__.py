"""The importer of OpenVINO IR v11 and v10 (`.xml` + `.bin`).

| file | what it does |
|---|---|
| `xml` | reads the file safely: no entities, no network, bounded size and depth |
| `weights` | maps the `.bin` and checks every range; `constant_types` unpacks element types below eight bits |
| `network` | turns `<layers>` and `<edges>` into a checked graph of the layers that are needed |
| `opsets` | which version of an operator a layer means by its operation set |
| `rows` | layer type → operation and attributes, one file per family; `attributes` reads their text |
| `upgrade` | what rows build with where a layer is more than its operation: older versions |
| `alignment` | `auto_broadcast="pdpd"` with an axis |
| `port_maps` | how the bodies of Loop, TensorIterator and If are connected: typed entries, checked against the specifications |
| `control_flow` | Loop, TensorIterator and If become regions |
| `state` | ReadValue and Assign: variables become inputs and outputs of `main`, the caller owns the state |
| `legacy` | what v10 means beyond v11 |
| `graph` | a network becomes the operations of a block |
| `reader` | puts it together: `main`, its types and names |

An operator is added with a `Row` in the file of its family in `rows/`; one with several versions says which it reads:

>>> ROWS = {"Range": Row("broadcasting", "RangeOp", {"output_type": element_type}, versions=(0, 4), upgrade=_range)}
"""

from loomir.compiler.frontends.openvino.reader import load_openvino

__all__ = ["load_openvino"]
