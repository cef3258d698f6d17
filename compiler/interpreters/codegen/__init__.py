"""Python source generated from loop-level IR.

It makes the interpreters fast enough to be useful.

| file | subject |
|---|---|
| `forms` | index expressions as linear forms and intervals: what the other files decide by |
| `source` | the text of a function, and its conversions |
| `expressions` | one scalar operation as a Python expression |
| `scalar` | regions as Python loops over Python numbers |
| `lanes` | which loops may run all their iterations at once |
| `vector` | such loops, and `linalg.generic`, as numpy operations on all iterations |
| `memory` | what the generated code calls |
| `functions` | the hooks into xDSL's interpreter, with a cache per operation |

A value is *uniform* (one Python number for all lanes) or *varying* (a numpy array with one axis per lane loop). Only
independent iterations become lanes, and reductions keep their order, so that results are bit-identical to those of the
pure interpreter.
"""
