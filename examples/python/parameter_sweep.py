#!/usr/bin/env python3
"""A parameter sweep in threads: how the arm of a tensioner answers to a load step, by its damping.

One session for each value of the damping. The sessions move at once, in as many threads as there are
processors, and do not wait for the interpreter while they move.

    python3 examples/python/parameter_sweep.py [--plot arm.png]
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import capstan as cs


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer cases")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the arm's motion")
    options = parser.parse_args()
    dampings = np.geomspace(0.05, 2.0, 3 if options.quick else 12)  # N m s/rad
    end = 0.06 if options.quick else 0.4
    model = cs.Model(Path(__file__).with_name("torque_drive.yaml"))

    # The simple way: a table of outputs for each case, nothing happens in between.
    since = time.perf_counter()
    free = model.rollout({"tensioner.damping": dampings}, until=end, every=1e-3, outputs=["arm.angle"])
    print(f"{len(dampings)} cases in {time.perf_counter() - since:.2f} s on {os.cpu_count()} processors")

    # The same with threads of one's own, where each case does something: the alternator's load comes at 20 ms.
    def answer(damping: float) -> NDArray[np.float64]:
        session = model.copy({"tensioner.damping": damping}).start()
        session.step_to(0.02)
        session["alternator_torque"] = 8.0
        return np.asarray(session.run(end, 1e-3, "arm.angle")["arm.angle"])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        arms = np.degrees(list(pool.map(answer, dampings)))

    print("damping / N m s/rad   arm, free   with the load step / deg")
    for damping, undisturbed, arm in zip(dampings, np.degrees(free["arm.angle"]), arms):
        print(f"{damping:19.3f} {np.ptp(undisturbed):11.4f} {np.ptp(arm):12.4f}")

    if options.plot:
        import matplotlib.pyplot as plt

        figure, panel = plt.subplots(layout="constrained")
        for damping, arm in zip(dampings, arms):
            panel.plot(0.02 + 1e-3 * np.arange(len(arm)), arm, label=f"{damping:.2g}")
        panel.set(xlabel="s", ylabel="arm / deg")
        panel.legend(title="N m s/rad")
        figure.savefig(options.plot)


if __name__ == "__main__":
    main()
