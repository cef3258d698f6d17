"""Model conversion in the phases of the Model Optimizer.

A model passes through named phases of transformations, to which extensions can add, and becomes a GRAPH module.

`transformation.py` defines a step, `ordering.py` the order of the steps, `phases.py` the existing steps, `running.py`
runs them, and `conversion.py` is the whole conversion from a file to a `Model`.

The options of inputs and outputs (docs/cutting.md):

| file | what it has |
|---|---|
| `specifications` | the texts of `--input`, `--output`, `--input-shape`, `--batch`, `--freeze`, parsed |
| `preprocessing_options` | those of `--mean-values`, `--scale-values`, `--scale`, `--layout` |
| `shape_texts` | shapes and lists in such texts |
| `places` | which value or operand of a program a name and a port mean |
| `inference` | the types that values of FRONT have |
| `replacing` | `main` with other arguments |
| `cutting` | new inputs and outputs; what is behind them goes |
| `freezing` | inputs become constants |
| `shaping` | shapes and batch sizes of inputs |
| `channels` | which dimension of an input its channels are |
| `preprocessing` | mean, scale and order of channels |
"""
