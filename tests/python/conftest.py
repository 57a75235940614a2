"""What the tests share: models of the examples, and the folder of the project."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture
def rig(examples: Path) -> Callable[..., Any]:
    """The tensioner rig over 0.2 s, with settings; its deflection is an input where one says so."""
    import capstan as cs

    def make(settings: dict[str, Any] | None = None) -> cs.Model:
        usual = {"analyses": [{"transient": {"until": "0.2 s"}}]}
        return cs.Model(examples / "tensioner_rig.yaml", usual | (settings or {}))

    return make


@pytest.fixture
def belt(examples: Path) -> Any:
    """Two pulleys whose crank rotates freely under a torque that is an input."""
    import capstan as cs

    return cs.Model(examples / "python" / "torque_drive.yaml")


def subprocess_environment() -> dict[str, str]:
    """For a child that imports the same package."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
