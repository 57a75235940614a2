#!/usr/bin/env python3
"""The lightest preload that keeps a belt tight: a design with scipy.

The tensioner of the accessory drive at idle: which torque of its spring and which friction of its damper load
the alternator's bearing least, while the slack span never falls below 150 N and the arm swings by 2 degrees at most?

    python3 examples/python/tensioner_design.py
"""

import argparse
from math import radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import capstan as cs

RATE = 0.35 / radians(1)  # N m/rad, of the spring
ANGLE = radians(253.1)  # where the nominal belt holds the arm
TENSION, SWING = 150.0, radians(2.0)  # the limits
START = np.array([29.0, 6.0])  # N m: torque of the spring, friction


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few evaluations only")
    options = parser.parse_args()

    model = cs.Model(
        Path(__file__).parents[1] / "accessory_tolerance.yaml",
        {"analyses": [{"transient": {"until": "0.15 s"}}]},
    )
    seen: dict[tuple[float, float], tuple[float, float, float]] = {}

    def evaluate(x: NDArray[np.float64]) -> tuple[float, float, float]:
        """Mean hub load of the alternator, lowest tension of the slack span, swing of the arm: in steady running."""
        torque, friction = float(x[0]), float(x[1])
        if (torque, friction) not in seen:
            model.set({"tensioner.free_angle": ANGLE - torque / RATE, "tensioner.hysteresis.friction": friction})
            run = model.run().transient
            steady = run.time > 0.075
            hub = np.hypot(run["pulley.alternator.hub_x"], run["pulley.alternator.hub_y"])[steady].mean()
            swing = np.ptp(run["arm.angle"][steady]) / 2
            seen[torque, friction] = float(hub), float(run["span.crank.tension"][steady].min()), float(swing)
        return seen[torque, friction]

    best = minimize(
        lambda x: evaluate(x)[0] / 100,
        START,
        method="COBYLA",
        constraints=[
            {"type": "ineq", "fun": lambda x: evaluate(x)[1] / TENSION - 1},
            {"type": "ineq", "fun": lambda x: 1 - evaluate(x)[2] / SWING},
            {"type": "ineq", "fun": lambda x: x[0] - 15},
            {"type": "ineq", "fun": lambda x: x[1] - 1},
        ],
        options={"rhobeg": 2.0, "maxiter": 6 if options.quick else 60, "tol": 0.01},
    )
    for name, x in (("start", START), ("design", best.x)):
        hub, tension, swing = evaluate(x)
        print(
            f"{name:8} spring {x[0]:5.2f} N m, friction {x[1]:5.2f} N m: hub {hub:6.1f} N, "
            f"slack span at least {tension:5.1f} N, arm +-{np.degrees(swing):.2f} deg"
        )
    print(f"{len(seen)} runs")


if __name__ == "__main__":
    main()
