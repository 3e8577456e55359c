"""The notebook runs from the first cell to the last, and what it shows can be shown."""

import ast
import json

import pytest
from docs_pages import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def value_of(source, scope):
    """Run one cell; return the value of its last expression, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), scope) if last else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook_runs(path, capsys):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    scope, shown = {"__name__": "notebook"}, []
    for cell in cells:
        if cell["cell_type"] == "code":
            value = value_of("".join(cell["source"]), scope)
            if value is not None:
                shown.append(value)
    assert capsys.readouterr().out.strip()
    assert len(shown) >= 3
    for value in shown:
        picture = getattr(value, "_repr_html_", None) or value._repr_mimebundle_
        assert picture()


def test_notebooks_are_stored_without_output():
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs"), path.name
