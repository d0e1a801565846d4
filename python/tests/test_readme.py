"""The examples of both READMEs run."""

import re
from pathlib import Path

import pytest

READMES = [Path(__file__).parents[1] / "README.md", Path(__file__).parents[2] / "README.md"]


@pytest.mark.parametrize("path", READMES, ids=["package", "project"])
def test_examples_of_the_readme_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(path), "exec"), {})
