"""The scripts of examples/python, each in its short form."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT, subprocess_environment

SCRIPTS = {
    "pi_controller.py": ["settled to 0.5 %", "energy residual"],
    "tensioner_design.py": ["design", "runs"],
    "read_result.py": ["tensioner rig, Masing", "residual over the energy converted"],
    "parameter_sweep.py": ["3 cases"],
    "frequency_response.py": ["26 states, 2 inputs", "damping ratio"],
}


def test_all_scripts_are_here() -> None:
    assert {path.name for path in (ROOT / "examples" / "python").glob("*.py")} == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name: str, tmp_path: Path) -> None:
    for package in {"tensioner_design.py": ["scipy"], "read_result.py": ["pandas"]}.get(name, []):
        pytest.importorskip(package)
    done = subprocess.run([sys.executable, str(ROOT / "examples" / "python" / name), "--quick"], cwd=tmp_path,
                          env=subprocess_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for words in SCRIPTS[name]:
        assert words in done.stdout, done.stdout
    assert list(tmp_path.iterdir()) == []
