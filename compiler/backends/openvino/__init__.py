"""The writer of OpenVINO IR v11 (`.xml` + `.bin`): the opposite of `compiler/frontends/openvino`.

A program in GRAPH is first brought into what an IR can say (`convert-ov-to-openvino`); then each operation is one layer.

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

Which layer an operation is, and with which attributes, say the rows that the reader uses: `dialects/ov/layers`.
"""
