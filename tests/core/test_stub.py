"""The types of the kernels are those of the module that was built."""

import ast
from pathlib import Path

import pytest

import trueval
from trueval import _kernels

KEPT = Path(trueval.__file__).with_name("_kernels.pyi")
BUILT = Path(_kernels.__file__).with_name("_kernels.pyi")


class _WithoutLayout(ast.NodeTransformer):
    """Drop what releases of nanobind word differently: docstrings, ``Annotated[…, dict(…)]``."""

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "Annotated":
            return node.slice.elts[0]
        return node

    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) and node.value.value != ... else node


def signatures(path):
    tree = _WithoutLayout().visit(ast.parse(path.read_text(encoding="utf-8")))
    return sorted(
        ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def test_the_stub_is_that_of_the_build():
    if not BUILT.exists():
        pytest.skip("this build has no stub: it is sanitized or cross-compiled")
    assert len(signatures(BUILT)) > 15
    assert signatures(KEPT) == signatures(BUILT), f"copy {BUILT} to {KEPT}"


def test_every_kernel_has_a_signature():
    tree = ast.parse(KEPT.read_text(encoding="utf-8"))
    typed = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    assert typed == {name for name in dir(_kernels) if not name.startswith("_")}
