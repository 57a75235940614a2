"""Studies: one model, many cases, by the engine of `capstan study`."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Iterable, Mapping, Union

from . import _capstan
from .errors import InputError
from .model import Model, Progress, _Line, is_number, yaml_of
from .results import Results

Path = Union[str, "os.PathLike[str]"]


def uniform(low: str | float, high: str | float) -> dict[str, Any]:
    """Any value between two, each as probable."""
    return {"distribution": {"law": "uniform", "low": low, "high": high}}


def normal(
    mean: str | float, deviation: str | float, low: str | float | None = None, high: str | float | None = None
) -> dict[str, Any]:
    """A normal distribution, truncated where `low` and `high` are given."""
    return _law("normal", mean, deviation, low, high)


def log_normal(
    mean: str | float, deviation: str | float, low: str | float | None = None, high: str | float | None = None
) -> dict[str, Any]:
    """A log-normal distribution; mean and deviation are those of the quantity itself."""
    return _law("log-normal", mean, deviation, low, high)


def triangular(low: str | float, mode: str | float, high: str | float) -> dict[str, Any]:
    """A triangular distribution."""
    return {"distribution": {"law": "triangular", "low": low, "mode": mode, "high": high}}


def span(low: str | float, high: str | float, count: int | None = None, spacing: str | None = None) -> dict[str, Any]:
    """A range: `count` values for a grid, or any value; `spacing="log"` is even in the logarithm."""
    keys: dict[str, Any] = {"from": low, "to": high}
    if count is not None:
        keys["count"] = count
    if spacing is not None:
        keys["spacing"] = spacing
    return keys


def _law(law: str, mean: Any, deviation: Any, low: Any, high: Any) -> dict[str, Any]:
    keys = {"law": law, "mean": mean, "deviation": deviation}
    keys |= {name: value for name, value in (("low", low), ("high", high)) if value is not None}
    return {"distribution": keys}


class Study:
    """A study: of a study file, or of a model and what varies in it.

    `factors`: {"tensioner.spring_rate": cs.normal("0.35 N m/deg", "0.02 N m/deg"), "belt.length": ["1935 mm", "1940 mm"]}:
    by paths; a list is of values, a mapping has the keys of a factor of a study file. `responses`:
    {"peak": {"channel": "arm.angle", "reduce": "amplitude", "from": "0.1 s"}} or formulas as texts.
    """

    def __init__(
        self,
        model: Model | Path,
        factors: Mapping[str, Any] | None = None,
        responses: Mapping[str, Any] | None = None,
        *,
        design: str | Mapping[str, Any] = "grid",
        cases: int | None = None,
        name: str = "study",
    ) -> None:
        self._file: str | None = None
        if not isinstance(model, Model):
            if factors is not None or responses is not None:
                raise InputError("expected a study file alone, or a Model with factors and responses")
            self._file = os.fspath(model)
            return
        if not factors or not responses:
            raise InputError("expected factors and responses of the study")
        self.model = model
        keys = dict(design) if isinstance(design, Mapping) else {"kind": design}
        if cases is not None:
            keys["count"] = cases
        self._content: dict[str, Any] = {
            "capstan": 2,
            "study": name,
            "model": "model.yaml",
            "set": list(model._settings),
            "factors": [_factor(model, path, factor) for path, factor in factors.items()],
            "design": keys,
            "responses": [_response(key, response) for key, response in responses.items()],
        }

    def run(
        self,
        result: Path | None = None,
        *,
        jobs: int = 0,
        resume: bool = False,
        progress: bool | Progress = False,
    ) -> Results:
        """Computes all cases on `jobs` processes (0: one for each processor) and returns their table.

        `result` is the folder of the study, which can be resumed; without one it is computed in a folder
        that is removed at the end. The processes are forked: other threads of yours should not compute meanwhile.
        """
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "cases") if result is None else os.fspath(result)
            show = _Line() if progress is True else progress or None
            try:
                _capstan.study(self._write(folder), place, int(jobs), bool(resume), show)
            finally:
                if isinstance(show, _Line):
                    show.end()
            path = os.path.join(place, "study.h5") if os.path.isdir(place) else place
            results = Results(_capstan.Results(path), None if result is None else path)
            if result is None:  # all of it into memory before the folder goes
                for group in results.values():
                    for name in group:
                        group[name]
            return results

    def _write(self, folder: str) -> str:
        """The study file, beside its model; the files that the model names are found in the model's folder."""
        if self._file is not None:
            return self._file
        source = self.model
        model = os.path.join(folder, "model.yaml")
        content = dict(self._content)
        if source._text is None:
            content["model"] = os.path.abspath(source._path)
        else:
            with open(model, "wb") as file:
                file.write(source._text)
        study = os.path.join(folder, "study.yaml")
        with open(study, "w", encoding="utf-8") as text:
            text.write(yaml_of(content))
        return study


def _factor(model: Model, path: str, factor: Any) -> dict[str, Any]:
    name = "".join(c if c.isalnum() else "_" for c in path).strip("_")
    keys: dict[str, Any] = {"name": name, "path": path}
    if isinstance(factor, Mapping):
        for key, value in factor.items():
            keys[key] = _with_units(model, path, value) if key in QUANTITIES else value
    elif isinstance(factor, Iterable) and not isinstance(factor, str):
        keys["values"] = _with_units(model, path, factor)
    else:
        raise InputError(f'expected values or a distribution of the factor "{path}", got {factor!r}')
    return keys


QUANTITIES = ("values", "from", "to", "nominal", "distribution")  # of a factor: in the unit of its path


def _with_units(model: Model, path: str, value: Any) -> Any:
    """Numbers of a factor as the study file wants them: with the unit that the parameter has."""
    if isinstance(value, Mapping):
        return {key: text if key == "law" else _with_units(model, path, text) for key, text in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_with_units(model, path, item) for item in value]
    if not is_number(value):
        return value
    text = model.setting(path, value)
    return value if text == repr(value) else text


def _response(name: str, response: Any) -> dict[str, Any]:
    if isinstance(response, str):
        return {"name": name, "expression": response}
    return {"name": name, **response}
