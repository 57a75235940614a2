"""Models: settings, variables, refusals."""

from __future__ import annotations

import gc
import pickle
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import capstan as cs

SMALL: dict[str, Any] = {
    "drive": "tensioner-rig",
    "tensioner": {"law": "masing", "k0": "2.34e5 N/m", "F0": "-573 N", "c": "1.93e4 N s/m",
                  "sliders": [{"k": "4.84e5 N/m", "alpha": "163 N"}]},
    "deflection": {"motion": "harmonic", "mean": "0.54 mm", "amplitude": "0.52 mm", "angular_frequency": "9.4 rad/s"},
    "analyses": [{"transient": {"until": "0.1 s"}}],
    "outputs": {"every": "1 ms"},
}


def test_parameters_have_values_units_and_limits(rig: Callable[..., cs.Model]) -> None:
    model = rig()
    damping = model.parameters["tensioner.c"]
    assert (damping.start, damping.unit, damping.kind) == (1.93e4, "N s/m", "parameter")
    assert damping.low <= damping.start <= damping.high
    assert model.parameters.match("tensioner.sliders[0].*") == [f"tensioner.sliders[0].{k}" for k in ("k", "alpha", "w0")]
    assert "tensioner.c" in repr(model.parameters) and "<table>" in model.parameters._repr_html_()
    assert [v.index for v in model.outputs.values()] == list(range(len(model.outputs)))


def test_settings_take_si_numbers_and_texts(rig: Callable[..., cs.Model]) -> None:
    model = rig({"tensioner.c": 1.0e4})
    assert model["tensioner.c"] == 1.0e4
    model["tensioner.c"] = "2e4 N s/m"
    assert model["tensioner.c"] == 2.0e4
    model["tensioner.c"] = np.float64(3.0e4)
    model["deflection.amplitude"] = 1 / 3 * 1e-3
    assert model["deflection.amplitude"] == 1 / 3 * 1e-3  # every bit of it
    model.set({"tensioner.c": 4.0e4, "tensioner.F0": -100})
    assert (model["tensioner.c"], model["tensioner.F0"]) == (4.0e4, -100.0)


def test_a_refused_setting_says_what_was_expected_and_changes_nothing(rig: Callable[..., cs.Model]) -> None:
    model = rig()
    with pytest.raises(cs.InputError) as caught:
        model["tensioner.c"] = "3 kg"
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.path == "tensioner.c" and error.value == "3 kg" and error.expected.startswith("a damping such as")
    assert model["tensioner.c"] == 1.93e4
    assert [f.path for f in model.findings] == []  # those of the call that read the present value
    with pytest.raises(cs.InputError, match='did you mean "c"'):
        model["tensioner.cc"] = 3
    with pytest.raises(cs.UnknownName, match='did you mean "tensioner.c"'):
        model["tensioner.cx"]


def test_a_refused_text_has_each_finding_at_its_place() -> None:
    text = "capstan: 2\ndrive: tensioner-rig\ntensioner: {law: masing, k0: 3 kg}\n"
    with pytest.raises(cs.InputError) as caught:
        cs.Model.parse(text, path="bad.yaml")
    places = {(f.path, f.line, f.column) for f in caught.value.findings}
    assert ("tensioner.k0", 3, 30) in places and len(places) >= 3
    wrong = next(f for f in caught.value.findings if f.path == "tensioner.k0")
    assert str(wrong) == 'bad.yaml:3:30: tensioner.k0: expected a stiffness such as "2.34e5 N/m", got "3 kg"'
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.findings == caught.value.findings and str(again) == str(caught.value)
    with pytest.raises(cs.InputError, match="cannot be opened"):
        cs.Model("nowhere.yaml")
    with pytest.raises(TypeError):
        cs.Model({**SMALL, "tensioner": object()})


def test_a_mapping_is_a_model_and_models_may_be_pickled() -> None:
    model = cs.Model(SMALL, {"tensioner.c": 123.0})
    same = pickle.loads(pickle.dumps(model))
    assert same["tensioner.c"] == model["tensioner.c"] == 123.0
    other = model.copy({"tensioner.c": 5.0})
    assert (model["tensioner.c"], other["tensioner.c"]) == (123.0, 5.0)
    assert "tensioner" in str(model) and "<pre>" in model._repr_html_()


def test_warnings_are_warnings() -> None:
    text = ("capstan: 1\ndrive: rolling-body\nground: {slope: 15 deg}\nbodies:\n"
            "  - knife-edge: {mass: 1 kg, inertia: 0.1 kg m2, turn: 2 rad/s}\nanalyses: [{transient: {until: 1 s}}]\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = cs.Model.parse(text)
        model.copy()
    assert [w.category for w in caught] == [cs.CapstanWarning] and "heading_rate" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_models_are_freed(rig: Callable[..., cs.Model]) -> None:
    for _ in range(20):
        rig()
    gc.collect()
    assert not [o for o in gc.get_objects() if isinstance(o, cs.Model)]
