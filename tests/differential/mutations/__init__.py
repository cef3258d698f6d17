"""Single mistakes planted in the source of the control-flow passes: the tests of each pass have to notice them.

`python -m tests.differential.mutations [NAME …]` tries all of them (`make mutations`), each in a process of its own: `attempt.py`.
"""
