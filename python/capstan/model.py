"""Models: a model file, a text or a mapping, with settings; whole runs."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings
from array import array
from html import escape
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence, Union

import numpy as np

from . import _capstan
from .errors import CapstanWarning, ComputationError, Error, Finding, Stopped, findings_of
from .results import Results
from .variables import Variables

if TYPE_CHECKING:
    from .rollout import Rollout
    from .session import Session

log = logging.getLogger("capstan")
Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[str, float, float, str], object]


def _plain(value: Any) -> Any:
    """What json does not know: numbers and arrays of numpy."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a model file cannot hold a {type(value).__name__}")


def yaml_of(value: Any) -> str:
    """A value as it stands in a model file. JSON is YAML, too."""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=_plain, ensure_ascii=False)


class Model:
    """A model that has been read and checked.

    `source` is the path of a model file, or a mapping with the same keys. `settings` change keys by their
    paths: {"tensioner.damping": "0.2 N m s/rad"}; numbers are in SI units where the model has such a number.
    """

    def __init__(self, source: Path | Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> None:
        if isinstance(source, Mapping):
            content = dict(source)
            content.setdefault("capstan", 2)
            text = json.dumps(content, default=_plain, ensure_ascii=False, indent=1)
            self._open("model", text.encode(), settings)
        else:
            self._open(os.fspath(source), None, settings)

    @classmethod
    def parse(cls, text: str, settings: Mapping[str, Any] | None = None, *, path: Path = "model") -> "Model":
        """A model file as a text. `path` names it in messages; data files are looked for in its folder."""
        model = cls.__new__(cls)
        model._open(os.fspath(path), text.encode(), settings)
        return model

    def _open(self, path: str, text: bytes | None, settings: Mapping[str, Any] | None) -> None:
        self._path, self._text = path, text
        self._variables: dict[int, Variables] = {}
        self._settings: list[str] = []
        rest = dict(settings or {})
        numbers = {key: rest.pop(key) for key in list(rest) if is_number(rest[key])}
        self._settings = [f"{key}={yaml_of(value)}" for key, value in rest.items()]
        self._core = _capstan.Model(path, self._settings, text)
        self._warn()
        if numbers:  # their units are those of the model that the other settings make
            self.set(numbers)

    def _warn(self) -> None:
        for finding in self.findings:
            if finding.warning:
                warnings.warn(str(finding), CapstanWarning, stacklevel=4)

    def copy(self, settings: Mapping[str, Any] | None = None) -> "Model":
        """Another model of the same source and settings, and further ones."""
        model = type(self).__new__(type(self))
        model._path, model._text, model._variables = self._path, self._text, {}
        model._settings = list(self._settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CapstanWarning)  # said before
            model._core = _capstan.Model(model._path, model._settings, model._text)
        if settings:
            model.set(settings)
        return model

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self._path, self._text, self._settings)

    # ---- what it is ----

    @property
    def findings(self) -> list[Finding]:
        """Warnings, and what the last change was refused for."""
        return findings_of(self._core.findings())

    def __str__(self) -> str:
        return self._core.describe()

    def __repr__(self) -> str:
        return f"<capstan.Model {self._path}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _kind(self, kind: int, name: str) -> Variables:
        if kind not in self._variables:
            self._variables[kind] = Variables(name, self._core.variables(kind))
        return self._variables[kind]

    @property
    def parameters(self) -> Variables:
        """Numbers of the model file by their paths; `start` is the present value."""
        return self._kind(_capstan.PARAMETER, "parameter")

    @property
    def inputs(self) -> Variables:
        """What the model file leaves to someone outside: {input: NAME, start: VALUE}."""
        return self._kind(_capstan.INPUT, "input")

    @property
    def outputs(self) -> Variables:
        """What a session can read."""
        return self._kind(_capstan.OUTPUT, "output")

    @property
    def states(self) -> Variables:
        """Positions, velocities, and inner states of laws and contacts."""
        return self._kind(_capstan.STATE, "state")

    # ---- settings ----

    def __getitem__(self, path: str) -> float:
        """The value of a parameter in SI units."""
        return self.parameters[path].start

    def __setitem__(self, path: str, value: Any) -> None:
        self.set({path: value})

    def set(self, settings: Mapping[str, Any]) -> None:
        """Changes keys; either all of them or, with an InputError, none."""
        texts = [f"{path}={self.setting(path, value)}" for path, value in settings.items()]
        self._core.set(texts)
        self._settings += texts
        self._variables.clear()
        self._warn()

    def setting(self, path: str, value: Any) -> str:
        """A value as it is set: a number with the unit that the parameter has."""
        if not is_number(value):
            return yaml_of(value)
        if isinstance(value, (int, np.integer)):
            text = repr(int(value))
        else:
            text = repr(float(value))
        known = self.parameters
        unit = known[path].unit if path in known else ""
        return text if unit in ("", "1") else f"{text} {unit}"

    # ---- runs ----

    def run(
        self,
        result: Path | None = None,
        *,
        threads: int = 1,
        inputs: Path | Sequence[Path] = (),
        held: Path | Sequence[Path] = (),
        resume: bool = False,
        time_limit: float | None = None,
        progress: bool | Progress = False,
        on_note: Callable[[str], object] | None = None,
        on_stage: Callable[[str, bool, int, list[str]], object] | None = None,
    ) -> Results:
        """Runs all analyses of the model, into the HDF5 file `result` or, without one, into memory.

        `inputs` and `held`: CSV files that feed the inputs of the model, a column "time" and one for each input;
        values are linear between the rows, those of `held` constant until the next row. `progress`: True shows a line on the terminal;
        a function gets what is done, how much, of how much, and the unit. Notes go to `on_note` or else to
        the logger "capstan"; what nobody may miss is a CapstanWarning. Ctrl-C ends the run; with `result` it can be resumed.
        """
        show = _Line() if progress is True else progress or None
        linear, constant = _paths(inputs), _paths(held)
        try:
            core = self._core.run(
                None if result is None else os.fspath(result),
                int(threads),
                bool(resume),
                float(time_limit or 0.0),
                [*linear, *constant],
                array("i", [0] * len(linear) + [1] * len(constant)),
                show,
                on_note or log.info,
                _warn_of_run,
                on_stage,
            )
        except BaseException as error:
            self._keep_partial(error, result is not None)
            raise
        finally:
            if isinstance(show, _Line):
                show.end()
        if core is not None:
            return Results(core)
        path, _ = self._core.result()
        return Results(_capstan.Results(path), path)

    def _keep_partial(self, error: BaseException, filed: bool) -> None:
        """Gives an exception what there is of the results, as far as it can be read."""
        partial = getattr(error, "partial", None)
        if isinstance(partial, _capstan.Results):
            error.partial = Results(partial)  # type: ignore[attr-defined]
        elif filed and isinstance(error, (ComputationError, Stopped)):
            path, _ = self._core.result()
            try:
                error.partial = Results(_capstan.Results(path), path) if path else None
            except Error:
                pass  # what the run said is more than why its file cannot be read

    def stop(self) -> None:
        """Ends the run that goes on in another thread, which raises Stopped there."""
        self._core.stop()

    # ---- sessions ----

    def start(
        self,
        method: str | None = None,
        *,
        step: float | None = None,
        tolerance: float | None = None,
        transient: int = 0,
        events: str | Iterable[str] = (),
        levels: Mapping[str, float] | None = None,
        event_every: float | None = None,
        event_tolerance: float | None = None,
        on_log: Callable[[str, str], object] | None = None,
    ) -> "Session":
        """A session at the start of the model, to be moved step by step.

        The keys of a transient of the model file apply (`transient`: which one, from 1; 0: the first, if
        there is one) with `method`, largest `step` (s) and relative `tolerance` in their places.
        `events` ("slip", "reversal"): a step comes back when one of them happens, and where an output passes
        a level of `levels`, {"arm.angle": 1.2}.
        """
        from .session import Session

        return Session(
            self,
            dict(
                method=method,
                step=step,
                tolerance=tolerance,
                transient=transient,
                events=(events,) if isinstance(events, str) else tuple(events),
                levels=dict(levels or {}),
                event_every=event_every,
                event_tolerance=event_tolerance,
            ),
            on_log,
        )

    def rollout(
        self,
        parameters: Mapping[str, Iterable[Any]],
        *,
        until: float,
        every: float,
        outputs: str | Iterable[str],
        method: str | None = None,
        jobs: int | None = None,
    ) -> "Rollout":
        """Moves one session for each value of the parameters, in parallel threads; see Rollout."""
        from .rollout import rollout

        return rollout(self, parameters, until, every, outputs, method, jobs)


def _paths(files: Path | Sequence[Path]) -> list[str]:
    return [os.fspath(file) for file in ([files] if isinstance(files, (str, os.PathLike)) else files)]


def _warn_of_run(text: str) -> None:
    warnings.warn(text, CapstanWarning, stacklevel=3)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))


def _reopen(path: str, text: bytes | None, settings: list[str]) -> Model:
    model = Model.__new__(Model)
    model._path, model._text, model._settings, model._variables = path, text, list(settings), {}
    model._core = _capstan.Model(path, model._settings, text)
    return model


class _Line:
    """Progress as one line of the terminal, a few times a second."""

    def __init__(self) -> None:
        self._next = 0.0
        self._wide = 0

    def __call__(self, what: str, done: float, total: float, unit: str) -> None:
        now = time.monotonic()
        if now < self._next and done < total:
            return
        self._next = now + 0.2
        text = f"{what}: {done:.4g} of {total:.4g} {unit}"
        sys.stderr.write("\r" + text.ljust(self._wide))
        sys.stderr.flush()
        self._wide = len(text)

    def end(self) -> None:
        if self._wide:
            sys.stderr.write("\r" + " " * self._wide + "\r")
            sys.stderr.flush()
