"""One definition of every chart, as Vega-Lite specifications without a drawing library.

A figure function takes a result and returns a `Figure`; `report.export` makes PNG and SVG of
it, the report and the dashboard show it as an interactive chart, `.chart()` of a result wraps
it for a notebook.
"""
