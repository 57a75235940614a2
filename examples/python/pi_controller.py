#!/usr/bin/env python3
"""An idle-speed controller in the loop with a belt drive.

A PI controller holds the crank at 1000 rpm with the engine's torque, once every millisecond. At 0.4 s the
alternator is switched on, 8 N m more. How far does the speed fall, and what happens in the belt?

    python3 examples/python/pi_controller.py [--plot idle.png]
"""

import argparse
from math import pi
from pathlib import Path

import numpy as np

import capstan as cs

STEP = 1e-3  # s, the controller's period
WANTED = 1000 * pi / 30  # rad/s
PROPORTIONAL, INTEGRAL = 3.0, 12.0  # N m s/rad, N m/rad
LOWEST, HIGHEST = 0.0, 120.0  # N m, what the engine can give


class Controller:
    """PI with a limit; while it is reached the integral waits."""

    def __init__(self, torque: float) -> None:
        self.integral = torque

    def __call__(self, speed: float) -> float:
        error = WANTED - speed
        torque = self.integral + PROPORTIONAL * error
        if LOWEST < torque < HIGHEST:
            self.integral += INTEGRAL * error * STEP
        return min(max(torque, LOWEST), HIGHEST)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a shorter run")
    parser.add_argument("--plot", metavar="FILE", help="a picture of speed, torque and tension")
    options = parser.parse_args()
    switch, end = (0.1, 0.2) if options.quick else (0.4, 1.5)

    model = cs.Model(Path(__file__).with_name("torque_drive.yaml"))
    session = model.start()
    controller = Controller(session["engine_torque"])
    read = session.reader(["pulley.crank.speed", "span.crank.tension", "arm.angle"])
    rows = [[session.time, session["engine_torque"], *read()]]
    for k in range(1, round(end / STEP) + 1):
        if k == round(switch / STEP):
            session.ramp("alternator_torque", to=8.0)  # over the next step
        session["engine_torque"] = controller(session["pulley.crank.speed"])
        session.step_to(k * STEP)
        rows.append([session.time, session["engine_torque"], *read()])
    time, torque, speed, tension, arm = np.array(rows).T

    after = time > switch
    worst = speed[after].min()
    away = np.flatnonzero(after & (np.abs(speed - WANTED) > 0.005 * WANTED))
    print(f"lowest speed        {worst * 30 / pi:8.1f} rpm")
    print(f"settled to 0.5 %    {1e3 * ((time[away[-1]] if len(away) else switch) - switch):8.0f} ms after the switch")
    print(f"torque at the end   {torque[-1]:8.2f} N m")
    print(f"slack span          {tension[after].min():8.1f} N to {tension[after].max():.1f} N")
    print(f"arm moves by        {np.degrees(np.ptp(arm[after])):8.2f} deg")
    print(f"energy residual     {session.balance.relative:8.1e} of the energy converted")

    if options.plot:
        import matplotlib.pyplot as plt

        figure, panels = plt.subplots(3, 1, sharex=True, layout="constrained")
        for panel, values, label in zip(panels, (speed * 30 / pi, torque, tension), ("rpm", "N m", "N")):
            panel.plot(time, values)
            panel.set_ylabel(label)
        panels[-1].set_xlabel("s")
        figure.savefig(options.plot)


if __name__ == "__main__":
    main()
