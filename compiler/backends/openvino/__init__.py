"""Writer of OpenVINO IR v11 (`.xml` + `.bin`).

It is the inverse of `compiler/frontends/openvino`.

`convert-ov-to-openvino` first restricts a GRAPH program to constructs that an IR can express; then each operation is
one layer.

| file | what it does |
|---|---|
| `network` | the operations of a block become the `<layers>` and `<edges>` of a net or a body |
| `control_flow` | loops and branches become Loop, TensorIterator and If: bodies, port maps, back edges |
| `constants` | the contents of Consts, each once, as they lie in the `.bin` |
| `ports` | element types and shapes as text, of ports, Parameters and Consts |
| `names` | a name of its own for each layer of a network |
| `variables` | states of `main` become ReadValue and Assign |
| `document` | the whole net, from `main` |
| `export` | what a user calls: options, passes, and the pair of files |

The layer and the attributes of an operation come from the rows that the reader uses: `dialects/ov/layers`.
"""
