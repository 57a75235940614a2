"""Studies by the engine of `capstan study`."""

from __future__ import annotations

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
    cases = table.cases
    peak = np.asarray(cases["peak"])
    assert peak.shape == (4,) and cases["peak"].unit == "N"
    single = model.copy({"tensioner.c": 2.0e4, "deflection.amplitude": "0.5 mm"}).run()
    assert peak[3] == single.transient["tensioner.force"].max()
    without_folder = study.run(jobs=1)
    assert np.array_equal(without_folder.cases["peak"], peak)


def test_what_a_study_refuses(examples: Path) -> None:
    model = cs.Model(examples / "tensioner_rig.yaml")
    with pytest.raises(cs.InputError):
        cs.Study(model)
    with pytest.raises(cs.InputError, match="tensioner.c"):
        cs.Study(model, {"tensioner.c": "3"}, {"peak": {"channel": "tensioner.force", "reduce": "max"}})
    with pytest.raises(cs.InputError) as caught:
        cs.Study(model, {"tensioner.nothing": [1, 2]}, {"peak": {"channel": "tensioner.force", "reduce": "max"}}).run()
    assert "nothing" in str(caught.value) and caught.value.findings
