#!/usr/bin/env python3
"""A belt drive in the frequency domain: linearised where it runs.

The state space x' = A x + B u, y = C x + D u at the running drive gives natural frequencies with their
damping, and how tension and arm follow a torque of the alternator at any frequency.

    python3 examples/python/frequency_response.py [--plot response.png]
"""

import argparse
from math import pi
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import capstan as cs

OUTPUTS = ["span.alternator.tension", "arm.angle"]


def response(space: cs.StateSpace, frequencies: NDArray[np.float64], column: int) -> NDArray[np.complex128]:
    """C (i w I - A)^-1 B + D of one input: [output, frequency]."""
    one = np.eye(len(space.A))
    solved = [space.C @ np.linalg.solve(2j * pi * f * one - space.A, space.B[:, column]) for f in frequencies]
    gains: NDArray[np.complex128] = np.array(solved).T + space.D[:, column, np.newaxis]
    return gains


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer frequencies")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the responses")
    options = parser.parse_args()

    model = cs.Model(Path(__file__).with_name("torque_drive.yaml"))
    session = model.start()
    session.step(0.2)  # it runs
    space = session.linearise(OUTPUTS)
    print(f"{len(space.A)} states, {space.B.shape[1]} inputs, at {session['pulley.crank.speed'] * 30 / pi:.0f} rpm")

    roots = np.linalg.eigvals(space.A)
    oscillations = sorted((r for r in roots if r.imag > 1), key=lambda r: float(abs(r)))
    for root in oscillations:
        print(f"  {abs(root) / (2 * pi):8.2f} Hz   damping ratio {-root.real / abs(root):7.4f}")

    frequencies = np.geomspace(1, 1000, 60 if options.quick else 600)
    gains = np.abs(response(space, frequencies, model.inputs["alternator_torque"].index))
    for name, gain in zip(OUTPUTS, gains):
        k = int(np.argmax(gain))
        print(f"{name}: {gain[0]:.4g} at 1 Hz, {gain[k]:.4g} at {frequencies[k]:.1f} Hz ({model.outputs[name].unit} per N m)")

    if options.plot:
        import matplotlib.pyplot as plt

        figure, panels = plt.subplots(len(OUTPUTS), 1, sharex=True, layout="constrained")
        for panel, name, gain in zip(panels, OUTPUTS, gains):
            panel.loglog(frequencies, gain)
            panel.set_ylabel(f"{name}\n{model.outputs[name].unit} / N m")
        panels[-1].set_xlabel("Hz")
        figure.savefig(options.plot)


if __name__ == "__main__":
    main()
