"""Many sessions of one model at once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import sleep
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from .errors import ComputationError, Error, InputError, unknown

if TYPE_CHECKING:
    import xarray

    from .model import Model
    from .session import Session

Floats = npt.NDArray[np.float64]


@dataclass
class Rollout(Mapping[str, Floats]):
    """Outputs of many sessions: rollout["arm.angle"] is an array [case, time], NaN behind the end of a case."""

    time: Floats
    parameters: dict[str, list[Any]]
    arrays: dict[str, Floats]
    units: dict[str, str]
    errors: dict[int, Error] = field(default_factory=dict)  # of cases that failed

    def __getitem__(self, name: str) -> Floats:
        try:
            return self.arrays[name]
        except KeyError:
            raise unknown("output", name, self.arrays) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def to_xarray(self) -> "xarray.Dataset":
        """Dimensions case and time; the parameters are coordinates of the cases."""
        import xarray

        data = {name: (("case", "time"), values, {"units": self.units[name]}) for name, values in self.arrays.items()}
        coords: dict[str, Any] = {"time": ("time", self.time, {"units": "s"})}
        coords |= {name: ("case", values) for name, values in self.parameters.items()}
        return xarray.Dataset(data, coords)


def rollout(
    model: "Model",
    parameters: Mapping[str, Iterable[Any]],
    until: float,
    every: float,
    outputs: str | Iterable[str],
    method: str | None,
    jobs: int | None,
) -> Rollout:
    lists = {name: list(values) for name, values in parameters.items()}
    counts = {len(values) for values in lists.values()}
    if len(counts) != 1:
        raise InputError(f"expected parameters with equally many values, got {sorted(counts)}")
    if not every > 0 or not until > 0:
        raise InputError(f"expected times above 0 s, got until={until}, every={every}")
    ncase = counts.pop()
    names = model.outputs.match(outputs)
    cases: list[dict[str, Any]] = [{name: values[k] for name, values in lists.items()} for k in range(ncase)]
    running: dict[int, "Session"] = {}
    ended = False

    def compute(k: int) -> tuple[Floats, Floats] | Error:
        if ended:
            return ComputationError("interrupted")
        try:
            session = model.copy(cases[k]).start(method)
            running[k] = session
            if ended:
                return ComputationError("interrupted")
            table = session.run(session.time + until, every, names)
            return np.asarray(table["time"]), np.array([table[name] for name in names])
        except Error as error:
            return error
        finally:
            running.pop(k, None)

    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        try:
            done = list(pool.map(compute, range(ncase)))
        except BaseException:  # Ctrl-C: what runs is asked to end, what waits does not begin
            ended = True
            while running:
                for session in list(running.values()):
                    session.stop()
                sleep(0.02)
            raise

    errors = {k: one for k, one in enumerate(done) if isinstance(one, Error)}
    good = {k: one for k, one in enumerate(done) if not isinstance(one, Error)}
    if not good:
        raise next(iter(errors.values()), InputError("expected at least one case"))
    time = max((one[0] for one in good.values()), key=len)
    values = {name: np.full((ncase, len(time)), np.nan) for name in names}
    for k, (times, rows) in good.items():
        for i, name in enumerate(names):
            values[name][k, : len(times)] = rows[i]
    return Rollout(time, lists, values, {name: model.outputs[name].unit for name in names}, errors)
