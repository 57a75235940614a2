"""Sessions: inputs, steps, callbacks, saved states, linearisation; interruption and threads."""

from __future__ import annotations

import gc
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import capstan as cs
from conftest import subprocess_environment

SPEED, TORQUE, ARM = "pulley.crank.speed", "engine_torque", "arm.angle"


def test_stepping_lands_exactly_and_inputs_act(belt: cs.Model) -> None:
    session = belt.start()
    assert session.time == 0.0 and session[TORQUE] == 30.0 and session.method
    assert session.step(1e-3) == 1e-3 == session.time
    assert session.step_to(0.05) == 0.05
    slow = session[SPEED]
    other = belt.start()
    other[TORQUE] = 60.0
    other.step_to(0.05)
    # 30 N m on the inertia of the whole drive, seen from the crank
    inertia = 0.20 + 2e-4 * (165 / 70) ** 2 + 3e-3 * (165 / 56) ** 2 + 1e-3 * (165 / 120) ** 2
    inertia += 1e-3 * (165 / 130) ** 2 + 3e-3 * (165 / 115) ** 2
    assert other[SPEED] - slow == pytest.approx(30.0 * 0.05 / inertia, rel=0.05)


def test_reading(belt: cs.Model) -> None:
    session = belt.start()
    session.step(0.01)
    everything = session.all_outputs()
    assert everything.shape == (len(belt.outputs),)
    names = belt.outputs.match("span.*.tension")
    assert len(names) == 6
    assert session.read("span.*.tension").tolist() == [session[name] for name in names]
    assert session.read(names).tolist() == [everything[belt.outputs[name].index] for name in names]
    reader = session.reader([SPEED])
    before = reader()
    session.step(0.01)
    assert reader()[0] == session[SPEED] != before[0]
    with pytest.raises(cs.UnknownName, match="did you mean"):
        session["span.crank.tensoin"]


def test_states_are_a_view_that_moves_with_the_session(belt: cs.Model) -> None:
    session = belt.start()
    state = session.state
    assert int(state.__array_interface__["data"][0]) == session._core.states().address
    assert not state.flags.writeable and state.shape == (len(belt.states),)
    before = state.copy()
    session.step(0.01)
    assert not np.array_equal(before, state)  # the same array
    assert session["arm"] == state[belt.states["arm"].index]
    now = state.copy()
    del session
    gc.collect()
    np.ones(100000)
    assert np.array_equal(state, now)  # it keeps the session alive


def test_held_ramped_and_with_rates(belt: cs.Model) -> None:
    session = belt.start()
    session.ramp(TORQUE, to=50.0)
    session.step(0.02)
    assert session[TORQUE] == 50.0
    session.step(0.02)
    assert session[TORQUE] == 50.0  # held afterwards
    session.rate(TORQUE, -100.0)
    session.step(0.1)
    assert session[TORQUE] == pytest.approx(40.0, rel=1e-12)
    session.set({TORQUE: 10.0, "alternator_torque": 1.0}, rates={TORQUE: 5.0})
    session.step(0.1)
    assert session[TORQUE] == pytest.approx(10.5) and session["alternator_torque"] == 1.0
    # a ramp is what the same rate is
    one, two = belt.start(), belt.start()
    one.ramp(TORQUE, to=40.0)
    two.rate(TORQUE, 10.0 / 0.02)
    one.step_to(0.02), two.step_to(0.02)
    assert np.array_equal(one.state, two.state)


def test_refusals_leave_the_session_as_it_was(belt: cs.Model) -> None:
    session = belt.start()
    session.step(0.01)
    before = bytes(session.save())
    for bad in (
        lambda: session.__setitem__(TORQUE, math.nan),
        lambda: session.set({TORQUE: 1.0, "alternator_torque": math.inf}),
        lambda: session.ramp(TORQUE, to=math.nan),
        lambda: session.step_to(0.005),
        lambda: session.step_to(math.nan),
        lambda: session.restore(b"no state"),
        lambda: session.restore(before[:-1]),
        lambda: session.restore(before[:100] + bytes([before[100] ^ 1]) + before[101:]),
        lambda: session.on_step(lambda s: None, every=0.0),
        lambda: session._core.output(len(belt.outputs)),
        lambda: session._core.output(-1),
        lambda: belt.start("nothing"),
        lambda: belt.start(levels={ARM: math.nan}),
    ):
        with pytest.raises(cs.InputError) as caught:
            bad()
        assert len(str(caught.value)) > 10
    for unknown in (lambda: session.__setitem__("nothing", 1.0), lambda: belt.start(events="nothing"),
                    lambda: session.linearise("nothing")):
        with pytest.raises(cs.UnknownName):
            unknown()
    assert bytes(session.save()) == before


def test_saved_states_give_the_same_bits(belt: cs.Model) -> None:
    session = belt.start()
    session[TORQUE] = 45.0
    session.step(0.0123)
    saved = session.save()
    session.step(0.02)
    expected = session.state.copy()
    session.restore(saved)
    assert session.time == 0.0123
    session.step(0.02)
    assert np.array_equal(session.state, expected)
    twin = pickle.loads(pickle.dumps(session))
    twin.restore(pickle.loads(pickle.dumps(saved)))
    twin.step(0.02)
    assert np.array_equal(twin.state, expected) and twin[TORQUE] == 45.0


def test_another_process_goes_on_with_the_same_bits(belt: cs.Model, tmp_path: Path) -> None:
    session = belt.start()
    session[TORQUE] = 45.0
    session.step(0.0123)
    (tmp_path / "session").write_bytes(pickle.dumps(session))
    session.step(0.02)
    code = ("import pickle, sys; s = pickle.load(open(sys.argv[1], 'rb')); s.step(0.02); "
            "sys.stdout.buffer.write(s.state.tobytes())")
    out = subprocess.run([sys.executable, "-c", code, str(tmp_path / "session")], check=True, capture_output=True,
                         env=subprocess_environment()).stdout
    assert out == session.state.tobytes()


def test_callbacks_within_steps(belt: cs.Model) -> None:
    session = belt.start()
    times: list[float] = []
    remove = session.on_step(lambda s: times.append(s.time), every=0.004)
    session.step_to(0.01)
    session.step_to(0.021)
    assert times == pytest.approx([0.004, 0.008, 0.012, 0.016, 0.02], abs=1e-15)
    remove()
    remove()
    ends: list[float] = []
    session.on_step(lambda s: ends.append(s.time))
    session.step_to(0.022)
    assert ends == [0.022] and len(times) == 5
    session.on_step(lambda s: s.stop() if s.time > 0.03 else None, every=0.002)
    reached = session.step_to(0.05)
    assert session.stopped and reached == session.time == pytest.approx(0.032)

    def fail(s: cs.Session) -> None:
        raise RuntimeError("enough")

    session.on_step(fail)
    with pytest.raises(RuntimeError, match="enough"):
        session.step(0.001)


def test_events_and_levels(belt: cs.Model) -> None:
    session = belt.start()
    session.step(0.01)
    level = session[SPEED] + 2.0
    watched = belt.start(levels={SPEED: level}, event_every=1e-3)
    watched[TORQUE] = 80.0
    reached = watched.step_to(0.5)
    assert watched.event and reached < 0.5 and not watched.stopped
    assert watched[SPEED] == pytest.approx(level, abs=1e-2)
    assert watched.step_to(reached + 0.01) == reached + 0.01 and watched.event is None


def test_tables_and_rollouts(belt: cs.Model) -> None:
    table = belt.start().run(0.02, 0.005, ["span.*.tension", ARM])
    assert table.columns[0] == "time" and len(table) == 8
    assert table.time.tolist() == pytest.approx([0, 0.005, 0.01, 0.015, 0.02])
    assert table[ARM].unit == "rad" and table.axis == "time"
    rates = [0.1, 0.4]
    batch = belt.rollout({"tensioner.damping": rates}, until=0.02, every=0.005, outputs=[ARM], jobs=2)
    assert batch[ARM].shape == (2, 5) and not batch.errors
    for k, rate in enumerate(rates):
        single = belt.copy({"tensioner.damping": rate}).start().run(0.02, 0.005, ARM)
        assert np.array_equal(batch[ARM][k], single[ARM])
    if pytest.importorskip("xarray"):
        assert batch.to_xarray()[ARM].sel(time=0.01, method="nearest").shape == (2,)
    with pytest.raises(cs.InputError):
        belt.rollout({"tensioner.damping": [1.0], "tensioner.inertia": [1.0, 2.0]}, until=1, every=0.1, outputs=ARM)
    mixed = belt.rollout({"tensioner.damping": [0.2, "3 kg"]}, until=0.02, every=0.005, outputs=ARM)
    assert list(mixed.errors) == [1] and np.isnan(mixed[ARM][1]).all() and np.isfinite(mixed[ARM][0]).all()


def test_linearisation_is_the_derivative(belt: cs.Model) -> None:
    session = belt.start()
    session.step(0.05)
    space = session.linearise(["span.crank.tension", ARM])
    nx = len(belt.states)
    assert space.A.shape == (nx, nx) and space.B.shape == (nx, 2) and space.C.shape == (2, nx) and space.D.shape == (2, 2)
    # An input by differences: the derivative is read before and after it is changed.
    before = session.derivative()
    session[TORQUE] = session[TORQUE] + 1.0
    column = belt.inputs[TORQUE].index
    assert session.derivative() - before == pytest.approx(space.B[:, column], abs=1e-6)
    # Outputs as functions of the state: those that are states themselves.
    assert space.C[1, belt.states["arm"].index] == pytest.approx(1.0)
    assert np.count_nonzero(np.abs(space.C[1]) > 1e-9) == 1


def test_balance(belt: cs.Model) -> None:
    session = belt.start()
    session.step(0.1)
    balance = session.balance
    assert balance.relative < 1e-6 and {"input", "stored", "dissipated", "residual"} <= set(balance.kinds.values())


def test_the_same_bits_as_a_run(belt: cs.Model) -> None:
    run = belt.copy({"analyses": [{"transient": {"until": "0.02 s"}}], "outputs.every": "1 ms"}).run().transient
    session = belt.start()
    for k, t in enumerate(run.time[1:], 1):
        session.step_to(float(t))
        assert session[ARM] == run[ARM][k] and session[SPEED] == run[SPEED][k], t


def test_a_run_that_is_fed_gives_the_same_bits_as_a_session(belt: cs.Model, tmp_path: Path) -> None:
    rows = [(0.0, 30.0, 0.0), (0.004, 42.0, 3.0), (0.008, 36.0, 3.0), (0.012, 36.0, 1.0)]
    table = "\n".join(["time [s],engine_torque [N m],alternator_torque [N m]", *(",".join(map(repr, row)) for row in rows)])
    (tmp_path / "fed.csv").write_text(table + "\n")
    fed = belt.copy({"analyses": [{"transient": {"until": "0.012 s", "method": "midpoint", "step": "0.1 ms"}}],
                     "outputs.every": "4 ms"})
    run = fed.run(inputs=tmp_path / "fed.csv").transient
    session = fed.start()
    for k, (time_, engine, alternator) in enumerate(rows[1:], 1):
        session.ramp(TORQUE, to=engine)
        session.ramp("alternator_torque", to=alternator)
        session.step_to(float(run.time[k]))
        assert session[ARM] == run[ARM][k] and session[SPEED] == run[SPEED][k], time_
    (tmp_path / "wrong.csv").write_text("time [s],nothing [N m]\n0,1\n1,2\n")
    with pytest.raises(cs.InputError):
        fed.run(inputs=tmp_path / "wrong.csv")


def test_ctrl_c_ends_a_step_of_ten_seconds(belt: cs.Model) -> None:
    session = belt.start("midpoint", step=1e-6)  # a minute and more of computing
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    since = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        session.step(10.0)
    assert time.process_time() - since < 0.5 + 0.5
    reached = session.time
    assert 0 <= reached < 10
    assert session.step(1e-5) == pytest.approx(reached + 1e-5)  # it can go on


def test_a_handler_that_raises_nothing_does_not_end_a_step(belt: cs.Model) -> None:
    session, straight = belt.start("midpoint", step=2e-5), belt.start("midpoint", step=2e-5)
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        assert session.step_to(0.3) == 0.3 and not session.stopped
        timer.join()
        time.sleep(0.01)
        assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
    straight.step_to(0.3)
    assert session.state == pytest.approx(straight.state, rel=1e-6, abs=1e-9)


def test_stop_from_another_thread(belt: cs.Model) -> None:
    session = belt.start("midpoint", step=1e-6)
    threading.Timer(0.2, session.stop).start()
    assert session.step_to(10.0) < 10.0 and session.stopped


def test_sessions_in_threads_give_the_same_bits(belt: cs.Model) -> None:
    def move(found: dict[int, Any], k: int) -> None:
        session = belt.copy().start()
        for _ in range(20):
            session[TORQUE] = 30.0 + 0.2 * (100.0 - session[SPEED])
            session.step(1e-3)
        found[k] = session.state.copy()

    found: dict[int, Any] = {}
    move(found, -1)
    threads = [threading.Thread(target=move, args=(found, k)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 9 and all(np.array_equal(state, found[-1]) for state in found.values())


def test_one_session_in_two_threads_waits(belt: cs.Model) -> None:
    session = belt.start()

    def move() -> None:
        for k in range(1, 51):
            try:
                session._core.step(k * 1e-4)
            except cs.InputError:  # the other one was there before
                assert session.time > k * 1e-4

    threads = [threading.Thread(target=move) for _ in "ab"]
    reads: list[float] = []
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        reads.append(session[SPEED])
    for thread in threads:
        thread.join()
    assert all(math.isfinite(speed) for speed in reads) and session.time == 50 * 1e-4


def test_other_threads_run_while_a_session_moves(belt: cs.Model) -> None:
    session = belt.start("midpoint", step=1e-5)
    count = 0
    thread = threading.Thread(target=session.step_to, args=(0.2,))
    thread.start()
    while thread.is_alive():
        count += 1
        time.sleep(0.001)
    assert count > 3  # with the interpreter's lock held it would be none or one


def test_what_has_no_motion_is_refused_by_name(examples: Path) -> None:
    with pytest.raises(cs.InputError, match="ring-tracking"):
        cs.Model(examples / "ring_tracking.yaml").start()


def test_log(belt: cs.Model, rig: Callable[..., cs.Model]) -> None:
    lines: list[tuple[str, str]] = []
    session = belt.start(on_log=lambda category, text: lines.append((category, text)))
    session.step(0.01)
    del session
    gc.collect()
    assert all(category in ("note", "warning", "event") for category, _ in lines)


def test_ctrl_c_ends_a_rollout(belt: cs.Model) -> None:
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        belt.rollout(
            {"tensioner.damping": [0.1, 0.2, 0.3, 0.4]},
            until=1e4,
            every=1e3,
            outputs=ARM,
            method="midpoint",  # the others take long steps once the drive runs steadily
            jobs=2,
        )
    assert threading.active_count() <= 2  # the timer's own may be ending
