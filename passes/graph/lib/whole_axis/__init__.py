"""Operations of a loop's body for all iterations at once.

Each value of the body that varies from iteration to iteration becomes one tensor with an iteration axis:

- `values.py`: these tensors, where their iteration axis is, and how slices, iteration numbers and joined outputs become them and are
  made of them;
- `rules.py`: rules for operations whose classes say how their axes matter, as elementwise ones do;
- `shapes.py`: rules for operations that move elements, and for products;
- `table.py`: the rules by class, and branches;
- `maps.py`: which operations of a body have rules, and may leave it;
- `guards.py`: branches where what may fail leaves a loop that may not run;
- `plan.py`: what pays to leave a loop.
"""
