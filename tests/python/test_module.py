"""The extension module: one binary for all versions, nothing visible but its entry, nothing but the public header."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import capstan as cs
from capstan import _capstan

ROOT = Path(__file__).parents[2]


def symbols(*options: str) -> list[str]:
    if not shutil.which("nm"):
        pytest.skip("there is no nm")
    assert _capstan.__file__
    out = subprocess.run(["nm", "-D", *options, _capstan.__file__], check=True, capture_output=True, text=True).stdout
    return [line.split()[-1].split("@")[0] for line in out.splitlines()]


def test_only_the_entry_is_visible() -> None:
    assert symbols("--defined-only") == ["PyInit__capstan"]


def test_only_the_stable_interface_is_used() -> None:
    used = [name for name in symbols("--undefined-only") if name.startswith(("Py", "_Py"))]
    # Of those with an underscore the limited interface has what its macros name.
    allowed = {"_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_PyObject_New"}
    assert len(used) > 50
    assert [n for n in used if n.startswith("_Py") and n not in allowed and not n.endswith("_SizeT")] == []
    assert _capstan.__file__.endswith(".abi3.so")


def test_nothing_of_the_library_is_missing() -> None:
    assert [name for name in symbols("--undefined-only") if name.startswith("cap")] == []


def test_the_sources_include_the_public_header_only() -> None:
    included = {name for path in sorted((ROOT / "python" / "src").glob("*.[ch]"))
                for name in re.findall(r'#include ([<"][^>"]*[>"])', path.read_text())}
    own = {'"_capstan.h"', "<Python.h>", "<pythread.h>", "<capstan/capstan.h>", "<string.h>", "<limits.h>"}
    assert included <= own, included - own
    assert "Py_LIMITED_API" not in "".join(path.read_text() for path in (ROOT / "python" / "src").glob("*.[ch]"))


def test_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", cs.__version__)
    assert set(cs.__all__) <= set(dir(cs))
