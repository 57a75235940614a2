"""The blocks of docs/python.md, executed one after the other."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT


def test_the_page_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "xarray"):
        pytest.importorskip(package)
    text = (ROOT / "docs" / "python.md").read_text()
    for name in [*ROOT.glob("examples/*.yaml"), *ROOT.glob("examples/python/*.yaml")]:
        shutil.copy(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) > 8
    for block in blocks:
        line = text[: text.index(block)].count("\n")
        exec(compile("\n" * line + block, "docs/python.md", "exec"), names)
    assert names["force"].unit == "N" and names["batch"]["arm.angle"].shape == (3, 21)
