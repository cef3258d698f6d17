"""`loomir explain`: a page about what became of a model.

The page is one HTML file that needs neither a server nor a network. `recording.py` listens to the passes, `costs.py` estimates
what each layer costs, `page.py` renders both with jinja2 (extra `loomir[explain]`).
"""
