"""The examples of both READMEs and of the guide run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [ROOT / "python" / "README.md", ROOT / "README.md", ROOT / "docs" / "python.md"]


@pytest.mark.parametrize("path", TEXTS, ids=["package", "project", "guide"])
def test_examples_of_the_readme_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(path), "exec"), {})
