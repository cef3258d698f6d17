"""Model conversion in the phases of the Model Optimizer.

A model passes through named phases of transformations, to which extensions can add, and becomes a GRAPH module.

`compiler/extensions/extension.py` defines a step, `phases.py` the order of the steps, the existing steps and their
execution, and `conversion.py` is the whole conversion from a file to a `Model`.

The options of inputs and outputs (docs/cutting.md):

- `specifications`: parses the texts of `--input`, `--output`, `--input-shape`, `--batch` and `--freeze`, and shapes and lists in
  such texts;
- `preprocessing_options`: parses those of `--mean-values`, `--scale-values`, `--scale` and `--layout`; determines which dimension
  of an input its channels are;
- `named_values`: the value or operand of a program that a name and a port mean; `main` with other arguments; inputs that become
  constants;
- `cutting`: new inputs and outputs, with the types that values of FRONT have; what is behind them is removed;
- `preprocessing`: shapes and batch sizes of inputs, their layouts; mean, scale and order of channels.
"""

from __future__ import annotations
