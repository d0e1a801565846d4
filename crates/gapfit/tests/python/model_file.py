"""The Python of docs/model-file.md, run as it stands there, predicts what gapfit predicts.

Usage: model_file.py docs/model-file.md FOLDER, where FOLDER has models NAME.gapfit and beside each, in NAME.json,
rows and the predictions for them, or the probabilities of the classes. States of streams are opened, not predicted with.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

import numpy as np
from safetensors import safe_open


def main(document: pathlib.Path, folder: pathlib.Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", document.read_text(), re.S)
    models = sorted(folder.glob("*.gapfit"))
    assert models, f"{folder}: expected model files, got none"
    passed = 0
    for model in models:
        if model.stem.startswith("stream-"):
            with safe_open(model, "np") as file:
                header = json.loads(file.metadata()["gapfit"])
                assert header["kind"] == "stream", model
                assert all(np.isfinite(file.get_tensor(name)).all() for name in file.keys()), model
            passed += 1
            continue
        expected = json.loads(model.with_suffix(".json").read_text())
        with tempfile.TemporaryDirectory() as place:
            pathlib.Path(place, "model.gapfit").write_bytes(model.read_bytes())
            before = os.getcwd()
            os.chdir(place)
            try:
                names = {}
                exec(code, names)
            finally:
                os.chdir(before)
        rows = [[np.nan if cell is None else cell for cell in row] for row in expected["rows"]]
        has_classes = bool(names["header"].get("classes"))
        answer = names["probabilities" if has_classes else "predict"]
        found = np.ravel([answer(row) for row in rows])
        np.testing.assert_allclose(found, expected["predictions"], rtol=1e-9, atol=1e-9, err_msg=str(model))
        passed += 1
    print(f"{passed} passed, 0 failed")


main(*map(pathlib.Path, sys.argv[1:]))
