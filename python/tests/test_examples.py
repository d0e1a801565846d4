"""The gallery and the guide run."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "python.md"
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """All examples, two at a time, each in a process of its own."""
    folder = tmp_path_factory.mktemp("examples")

    def run(path):
        return subprocess.run([sys.executable, "-W", "error", path], cwd=folder, capture_output=True, text=True)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(EXAMPLES, pool.map(run, EXAMPLES), strict=True))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(path, runs):
    assert runs[path].returncode == 0, runs[path].stderr
    assert runs[path].stdout


def test_the_guide_names_every_example():
    text = GUIDE.read_text()
    assert {path.name for path in EXAMPLES} == set(re.findall(r"python/examples/(\w+\.py)", text))
    assert 8 <= len(EXAMPLES) <= 12
