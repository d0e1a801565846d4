"""The type stubs say what the compiled module has."""

import ast
import inspect
from pathlib import Path

import gapfit
from gapfit import _gapfit

STUBS = ast.parse((Path(gapfit.__file__).parent / "_gapfit.pyi").read_text())


def stubbed(body):
    """The public names of a body of stubs, with the parameters of functions."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            names = [a.arg for a in node.args.args if a.arg not in ("self", "cls")]
            found[node.name] = names
        elif isinstance(node, ast.ClassDef):
            found[node.name] = stubbed(node.body)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = None
    return found


def compiled(owner):
    """The same of what is compiled."""
    found = {}
    for name, thing in vars(owner).items():
        is_own = name in ("__reduce__", "__new__") or not name.startswith("__")
        if inspect.isclass(thing):
            found[name] = compiled(thing)
        elif is_own and callable(getattr(owner, name)):
            callable_ = thing.__func__ if isinstance(thing, staticmethod) else thing
            signature = inspect.signature(owner if name == "__new__" else callable_)
            found[name] = [p for p in signature.parameters if p != "self"]
        elif is_own:
            found[name] = [] if inspect.isgetsetdescriptor(thing) else None
    return found


def test_stubs_are_those_of_the_compiled_module():
    assert stubbed(STUBS.body) == compiled(_gapfit)


def test_the_package_under_test_is_the_installed_one():
    assert "site-packages" in gapfit.__file__
    assert (Path(gapfit.__file__).parent / "py.typed").exists()
