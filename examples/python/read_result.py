#!/usr/bin/env python3
"""Reading a result: groups, columns with units, tables, the energy balance.

    capstan run examples/tensioner_rig.yaml
    python3 examples/python/read_result.py tensioner_rig.h5 [--plot loop.png]

Without a file it makes one.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import capstan as cs


def show(path: Path, plot: str | None) -> None:
    results = cs.read(path)
    print(results)
    print(f"{results.meta['name']}, computed by capstan {results.meta['capstan_version']}")

    run = results.transient
    force, deflection = run["tensioner.force"], run["tensioner.deflection"]  # views: nothing is copied
    print(f"{len(force)} rows; {force.text}: {force.to('kN').min():.3f} to {force.to('kN').max():.3f} kN")
    print(f"deflection up to {deflection.to('mm').max():.3f} mm")

    frame = run.to_pandas(["tensioner.force", "tensioner.deflection"])
    print(frame.describe().loc[["min", "mean", "max"]].round(6))

    loop = results.periodic  # one period, in which the loop closes
    x, y = np.asarray(loop["tensioner.deflection"]), np.asarray(loop["tensioner.force"])
    area = abs(np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)))
    print(f"a loop takes {area:.4f} J in {float(loop['period']):.4f} s")

    balance = results.audit["transient"]
    for name, energy in balance.energies.items():
        print(f"  {name:28} {balance.kinds[name]:11} {energy:12.5g} J")
    print(f"residual over the energy converted: {balance.relative:.1e}")

    if plot:
        axes = loop.plot("tensioner.force", x="tensioner.deflection")
        axes[0].figure.savefig(plot)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="a result of examples/tensioner_rig.yaml")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the loop")
    parser.add_argument("--quick", action="store_true", help="as without: it is quick")
    options = parser.parse_args()
    if options.file:
        show(options.file, options.plot)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tensioner_rig.h5"
        cs.Model(Path(__file__).parents[1] / "tensioner_rig.yaml").run(path)
        show(path, options.plot)


if __name__ == "__main__":
    main()
