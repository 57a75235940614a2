"""Studies by the engine of `capstan study`."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import capstan as cs


def test_a_grid(examples: Path, tmp_path: Path) -> None:
    model = cs.Model(examples / "tensioner_rig.yaml", {"analyses": [{"transient": {"until": "1 s"}}]})
    study = cs.Study(
        model,
        factors={"tensioner.c": [1.0e4, 2.0e4], "deflection.amplitude": ["0.3 mm", "0.5 mm"]},
        responses={"peak": {"channel": "tensioner.force", "reduce": "max", "goal": "minimise"}},
    )
    table = study.run(tmp_path / "grid", jobs=2)
    peak = table.study["response.peak"]
    assert peak.shape == (4,) and peak.unit == "N"
    single = model.copy({"tensioner.c": 2.0e4, "deflection.amplitude": "0.5 mm"}).run()
    assert peak[3] == single.transient["tensioner.force"].max()
    without_folder = study.run(jobs=1)
    assert np.array_equal(without_folder.study["response.peak"], peak)


def test_a_sample_with_distributions(examples: Path) -> None:
    study = cs.Study(
        cs.Model(examples / "tensioner_rig.yaml", {"analyses": [{"transient": {"until": "0.3 s"}}]}),
        factors={
            "tensioner.c": cs.normal(1.9e4, "1e3 N s/m", low="1.7e4 N s/m", high=2.1e4),
            "tensioner.k0": cs.uniform("2e5 N/m", "2.5e5 N/m"),
            "deflection.amplitude": cs.span("0.4 mm", 0.5e-3),
        },
        responses={"peak": {"channel": "tensioner.force", "reduce": "max"}, "double": "2*peak"},
        design="sobol",
        cases=8,
    )
    seen: list[tuple[str, float, float, str]] = []
    cases = study.run(jobs=2, progress=lambda *what: seen.append(what)).study
    damping = cases["factor.tensioner_c"]
    assert damping.unit == "N s/m" and 1.7e4 <= damping.min() < damping.max() <= 2.1e4
    assert np.array_equal(cases["response.double"], 2 * cases["response.peak"])
    assert len(cases.to_pandas()) == 8 and seen


def test_what_a_study_refuses(examples: Path) -> None:
    model = cs.Model(examples / "tensioner_rig.yaml")
    with pytest.raises(cs.InputError):
        cs.Study(model)
    with pytest.raises(cs.InputError, match="tensioner.c"):
        cs.Study(model, {"tensioner.c": "3"}, {"peak": {"channel": "tensioner.force", "reduce": "max"}})
    with pytest.raises(cs.InputError) as caught:
        cs.Study(model, {"tensioner.nothing": [1, 2]}, {"peak": {"channel": "tensioner.force", "reduce": "max"}}).run()
    assert "nothing" in str(caught.value) and caught.value.findings


def test_ctrl_c_ends_a_study(examples: Path, tmp_path: Path) -> None:
    slow = {"analyses": [{"transient": {"until": "1000 s", "method": "midpoint", "step": "5e-6 s"}}], "outputs.every": "1 s"}
    study = cs.Study(
        cs.Model(examples / "tensioner_rig.yaml", slow),
        factors={"tensioner.c": [1.0e4, 2.0e4, 3.0e4]},
        responses={"peak": {"channel": "tensioner.force", "reduce": "max"}},
    )
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    since = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        study.run(tmp_path / "study", jobs=2)
    assert time.monotonic() - since < 20  # of the clock, on a busy machine: workers end with their case
