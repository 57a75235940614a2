"""Sessions: a model that moves step by step, with inputs from outside."""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _capstan
from .errors import InputError, unknown
from .results import Array, Balance, Table

if TYPE_CHECKING:
    from .model import Model

Floats = npt.NDArray[np.float64]
EVENTS = {"slip": _capstan.EVENT_SLIP, "reversal": _capstan.EVENT_REVERSAL}


class State(bytes):
    """A saved state of a session: bytes, which may be written anywhere and restored in another process."""

    def __repr__(self) -> str:
        return f"<capstan.State of {len(self)} bytes>"

    __str__ = __repr__


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u for small deviations from the state at which it was made."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats


class _Hook(NamedTuple):
    call: Callable[["Session"], object]
    every: float | None  # None: at the end of each step


class Session:
    """A model in motion; made by Model.start(). Several sessions move at once in threads of their own."""

    def __init__(
        self, model: "Model", options: Mapping[str, Any], on_log: Callable[[str, str], object] | None = None
    ) -> None:
        events = 0
        for name in options["events"]:
            if name not in EVENTS:
                raise unknown("kind of events", name, EVENTS)
            events |= EVENTS[name]
        levels: Mapping[str, float] = options["levels"]
        self.model = model
        self._options = dict(options)
        self._core = model._core.start(
            transient=options["transient"],
            method=options["method"],
            step=options["step"] or 0.0,
            tolerance=options["tolerance"] or 0.0,
            events=events,
            event_every=options["event_every"] or 0.0,
            event_tolerance=options["event_tolerance"] or 0.0,
            log=on_log,
            level_outputs=array("i", [model.outputs[name].index for name in levels]),
            levels=array("d", levels.values()),
        )
        self.inputs, self.outputs, self.states = model.inputs, model.outputs, model.states
        self._start = self._core.time()
        self._ramps: dict[int, float] = {}
        self._hooks: list[_Hook] = []
        self._end = False
        self.event: str | None = None  # what ended the last step early
        self.stopped = False  # stop() ended the last step early

    def __reduce__(self) -> tuple[Any, ...]:
        return _restart, (self.model, self._options, self._start, self.save())

    def __repr__(self) -> str:
        return f"<capstan.Session of {self.model._path} at {self.time:.9g} s>"

    @property
    def time(self) -> float:
        """s"""
        return self._core.time()

    @property
    def method(self) -> str:
        """The method that it steps with."""
        return self._core.method()

    # ---- reading and setting ----

    def __getitem__(self, name: str) -> float:
        """The present value of an output, an input or a state, in SI units."""
        if name in self.outputs:
            return self._core.output(self.outputs[name].index)
        if name in self.inputs:
            return self._core.input_value(self.inputs[name].index)
        if name in self.states:
            return self._core.state(self.states[name].index)
        raise unknown("output, input or state", name, [*self.outputs, *self.inputs, *self.states])

    def __setitem__(self, name: str, value: float) -> None:
        """Sets an input, which is held from now on."""
        index = self.inputs[name].index
        self._ramps.pop(index, None)
        self._core.input(array("i", [index]), array("d", [value]), array("d", [0.0]))

    def set(self, values: Mapping[str, float], rates: Mapping[str, float] | None = None) -> None:
        """Sets several inputs at once: all of them or none. Those with rates then go on linearly."""
        indices = [self.inputs[name].index for name in values]
        slopes = [float((rates or {}).get(name, 0.0)) for name in values]
        for name in rates or {}:
            if name not in values:
                raise unknown("value for the rate of", name, values)
        self._core.input(array("i", indices), array("d", [float(v) for v in values.values()]), array("d", slopes))
        for index in indices:
            self._ramps.pop(index, None)

    def rate(self, name: str, rate: float) -> None:
        """From now on an input goes on from where it is at this rate, per second."""
        index = self.inputs[name].index
        self._ramps.pop(index, None)
        self._core.input(array("i", [index]), None, array("d", [rate]))

    def ramp(self, name: str, to: float) -> None:
        """Over the next step an input goes to a value linearly, and is then held."""
        if not math.isfinite(to):
            raise InputError(f'expected a finite value of "{name}", got {to}')
        self._ramps[self.inputs[name].index] = float(to)

    def read(self, names: str | Iterable[str]) -> Floats:
        """Present values of several outputs, by names or patterns with *."""
        return self.reader(names)()

    def reader(self, names: str | Iterable[str]) -> "Reader":
        """The same to be called again and again: the names are looked up once."""
        return Reader(self, self.outputs.match(names))

    def all_outputs(self) -> Floats:
        """All outputs now, in the order of `outputs`: a copy."""
        values = np.empty(len(self.outputs))
        self._core.outputs(values)
        return values

    @property
    def state(self) -> Floats:
        """All states, in the order of `states`: a view that moves with the session, for reading."""
        return np.asarray(self._core.states())

    # ---- moving ----

    def step(self, duration: float) -> float:
        """Moves on by a duration in s; see step_to()."""
        return self.step_to(self._core.time() + duration)

    def step_to(self, until: float) -> float:
        """Moves to a time, exactly, and returns it; less when an event or stop() ended the step before.

        `event` then says which event, or `stopped` is True. A step that fails raises ComputationError, and
        Ctrl-C raises KeyboardInterrupt: the session is then at the last time that it came to soundly.
        """
        self.event, self.stopped, self._end = None, False, False
        if not self._ramps and not self._hooks:
            return self._move(until)
        self._begin_ramps(until)
        try:
            reached = self._move_with_hooks(until) if self._hooks else self._move(until)
        finally:
            self._end_ramps(until)
        return reached

    def _move(self, until: float) -> float:
        code, reached = self._core.step(until)
        if code == _capstan.EVENT:
            self.event = self._core.message().rstrip("\n")
        elif code == _capstan.STOPPED:
            self.stopped = True
        return reached

    def _next(self, hook: _Hook, now: float, until: float) -> float:
        """The next time at which a hook is called: multiples of its period since the start."""
        if hook.every is None:
            return until
        count = math.floor((now - self._start) / hook.every * (1 + 1e-12) + 1e-9) + 1
        return self._start + count * hook.every

    def _move_with_hooks(self, until: float) -> float:
        while True:
            now = self._core.time()
            times = [self._next(hook, now, until) for hook in self._hooks]
            goal = min([*times, until])
            reached = self._move(goal)
            if self.event is not None or self.stopped:
                return reached
            for hook, due in zip(list(self._hooks), times):
                if due == goal:
                    hook.call(self)
            if self._end:
                self.stopped = True
                return self._core.time()
            if goal >= until:
                return reached

    def _begin_ramps(self, until: float) -> None:
        now = self._core.time()
        if not self._ramps or not until > now:
            return
        indices = list(self._ramps)
        rates = [(self._ramps[k] - self._core.input_value(k)) / (until - now) for k in indices]
        self._core.input(array("i", indices), None, array("d", rates))

    def _end_ramps(self, until: float) -> None:
        """Each at its value, where the step came to its end; else where it has come to."""
        ramps, self._ramps = self._ramps, {}
        arrived = self._core.time() == until
        by_index = list(self.inputs.values())
        for index, to in ramps.items():
            value = array("d", [to]) if arrived and not by_index[index].position else None
            self._core.input(array("i", [index]), value, array("d", [0.0]))

    def stop(self) -> None:
        """Ends the step that goes on, from a function of on_step() or from another thread."""
        self._end = True
        self._core.stop()

    def on_step(self, call: Callable[["Session"], object], every: float | None = None) -> Callable[[], None]:
        """Calls a function within steps, every `every` s since the start, or at the end of each step.

        It may read, set inputs, and stop() the step. Returns a function that takes it away again.
        """
        if every is not None and not every > 0:
            raise InputError(f"expected a period above 0 s, got {every}")
        hook = _Hook(call, every)
        self._hooks.append(hook)
        return lambda: self._hooks.remove(hook) if hook in self._hooks else None

    def run(self, until: float, every: float, outputs: str | Iterable[str]) -> Table:
        """Moves to a time and returns a table of outputs, a row every `every` s, the first one now.

        It ends before at an event or by stop(), with a row there.
        """
        reader = self.reader(outputs)
        begin = self._core.time()
        count = int(math.ceil((until - begin) / every * (1 - 1e-12)))
        times = [begin]
        rows = [reader()]
        for k in range(1, count + 1):
            times.append(self.step_to(until if k == count else begin + k * every))
            rows.append(reader())
            if self.event is not None or self.stopped:
                break
        table = np.array(rows)
        columns = {"time": Array(np.array(times), "s", "time")}
        for k, name in enumerate(reader.names):
            about = self.outputs[name]
            columns[name] = Array(table[:, k], about.unit, about.text)
        return Table(columns)

    # ---- saved states ----

    def save(self) -> State:
        """All that decides what comes next; going on and restoring give the same bits."""
        return State(self._core.save())

    def restore(self, state: bytes) -> None:
        """Back to a saved state of the same model and method; InputError when it is none."""
        self._core.restore(state)
        self._ramps.clear()
        self.event, self.stopped = None, False

    # ---- what else it knows ----

    @property
    def balance(self) -> Balance:
        """The energy balance since the start."""
        lines, scale = self._core.balance()
        return Balance({name: energy for name, _, energy in lines}, scale, {name: kind for name, kind, _ in lines})

    def derivative(self) -> Floats:
        """d/dt of all states now."""
        slope = np.empty(len(self.states))
        self._core.derivative(slope)
        return slope

    def linearise(self, outputs: str | Iterable[str]) -> StateSpace:
        """The state space at the present state: all states, all inputs, and these outputs."""
        names = self.outputs.match(outputs)
        nx, nu, ny = len(self.states), len(self.inputs), len(names)
        space = StateSpace(np.zeros((nx, nx)), np.zeros((nx, nu)), np.zeros((ny, nx)), np.zeros((ny, nu)))
        self._core.linearise(array("i", [self.outputs[name].index for name in names]), *space)
        return space


class Reader:
    """Reads the same outputs of a session again and again."""

    def __init__(self, session: Session, names: list[str]) -> None:
        self.names = names
        self._core = session._core
        self._indices = array("i", [session.outputs[name].index for name in names])

    def __call__(self) -> Floats:
        values = np.empty(len(self.names))
        self._core.output(self._indices, values)
        return values


def _restart(model: "Model", options: Mapping[str, Any], start: float, state: bytes) -> Session:
    session = Session(model, options)
    session._start = start
    session.restore(state)
    return session
