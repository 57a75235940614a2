"""A motion whose inputs come from a file in one go, and the same step by step: the same bits, for several drives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import capstan as cs

DRIVES: dict[str, tuple[str, dict[str, list[float]], float]] = {
    # a text; rows of inputs; the time between these
    "tensioner-rig": (
        "tensioner: {law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, sliders: [{k: 4.84e5 N/m, alpha: 163 N}]}\n"
        "deflection: {motion: input, deflection: {input: rod, start: 0.2 mm}}\n",
        {"rod": [2e-4, 5e-4, 9e-4, 7e-4, 8e-4]},
        2e-3,
    ),
    "clearance-oscillator": (
        "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
        "springs: [{from: gear, damping: 0.05 N s/m}]\n"
        "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: g1, sigma: 100}}]\n"
        "loads: [{on: gear, mean: {input: push, start: 0 N}}]\n"
        "forcing: {angular_frequency: 0.8 rad/s}\n",
        {"push": [0.0, 10.0, -5.0, 3.0, 3.0]},
        5e-3,
    ),
    "bodies": (
        "gravity: 9.81 m/s2\n"
        "bodies:\n  - block: {name: box, mass: 1 kg, width: 0.2 m, height: 0.1 m, x: 0 m, y: 0.05 m}\n"
        "lines:\n  - line: {name: floor}\n"
        "contact: {law: regularised, stiffness: 1e5 N/m, damping: 200 N s/m, friction: 0.2, regularisation_velocity: 10 mm/s}\n"
        "loads:\n  - force: {name: push, on: box, mean: {input: push, start: 4 N}, direction: 30 deg}\n",
        {"push": [4.0, 5.0, 3.0, 0.0, 6.0]},
        2e-3,
    ),
    "accessory-drive": (
        "belt: {kind: flat, length: 1.2 m, length_type: pitch, stiffness: 7600 N, mass: 0.87 kg/m, friction: {groove: 0.5}}\n"
        "pulleys:\n  - {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_type: pitch, inertia: 0.25 kg m2}\n"
        "  - {name: driven, at: [0.314159 m, 0 m], diameter: 0.2 m, diameter_type: pitch, inertia: 0.25 kg m2, load: {torque: 5 N m}}\n"
        "crank: {pulley: driver, speed: {input: crank, start: 12 rad/s}}\n",
        {"crank": [12.0, 12.5, 13.5, 13.0, 13.0]},
        5e-3,
    ),
    "variator": (
        "ratio: 1.0\nelements: {simulated: 30}\n"
        "primary: {speed: {input: engine, start: 200 rad/s}, thrust_ratio: {input: ratio, start: 1.3}}\n"
        "secondary: {torque: {input: brake, start: -40 N m}, clamping: {input: clamp, start: 6.4 kN}}\n",
        {"engine": [200.0, 210.0, 205.0], "ratio": [1.3, 1.35, 1.4], "brake": [-40.0, -48.0, -44.0],
         "clamp": [6400.0, 7000.0, 6800.0]},
        5e-5,
    ),
}


@pytest.mark.parametrize("drive", DRIVES)
def test_the_same_bits(drive: str, tmp_path: Path) -> None:
    keys, tracks, between = DRIVES[drive]
    count = len(next(iter(tracks.values())))
    text = (f"capstan: 2\ndrive: {drive}\n{keys}analyses: [{{transient: {{until: {(count - 1) * between!r} s}}}}]\n"
            f"outputs: {{every: {between!r} s}}\n")
    model = cs.Model.parse(text)
    assert set(model.inputs) == set(tracks)
    head = ",".join(["time [s]", *(f"{name} [{model.inputs[name].unit or '-'}]" for name in tracks)])
    rows = [",".join([repr(k * between), *(repr(values[k]) for values in tracks.values())]) for k in range(count)]
    (tmp_path / "inputs.csv").write_text("\n".join([head, *rows]) + "\n")
    run: Any = model.run(inputs=tmp_path / "inputs.csv").transient
    session = model.start()
    for k in range(1, count):
        for name, values in tracks.items():
            if model.inputs[name].position:  # at the end of a ramp it would stand still
                session.rate(name, (values[k] - session[name]) / (float(run.time[k]) - session.time))
            else:
                session.ramp(name, to=values[k])
        session.step_to(float(run.time[k]))
        for name in run.columns:
            if name in model.outputs:
                assert session[name] == run[name][k] or np.isnan(run[name][k]), (name, k)
