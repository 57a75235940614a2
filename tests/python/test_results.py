"""Runs and results: views, units, tables, files."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import capstan as cs


@pytest.fixture(scope="module")
def results() -> cs.Results:
    return cs.Model(Path(__file__).parents[2] / "examples" / "tensioner_rig.yaml").run()


def address(array: Any) -> int:
    return int(np.asarray(array).__array_interface__["data"][0])


def test_arrays_are_views_that_keep_the_results_alive(results: cs.Results) -> None:
    index = [row[0] for row in results._core.groups()].index("transient")
    names = [array[0] for array in results._core.groups()[index][4]]
    force = results.transient["tensioner.force"]
    block = results._core.values(index, names.index("tensioner.force"))
    assert address(force) == block.address  # the library's memory, not a copy
    assert not force.flags.writeable and not force.flags.owndata
    own = cs.Model.run(cs.Model(Path(__file__).parents[2] / "examples" / "tensioner_rig_dahl.yaml"))
    kept, expected = own.transient["tensioner.force"], np.array(own.transient["tensioner.force"])
    del own
    gc.collect()
    np.zeros((100, 1000))  # would take the memory if it were free
    assert np.array_equal(kept, expected)


def test_arrays_have_units_and_results_of_computing_have_none(results: cs.Results) -> None:
    force = results.transient["tensioner.force"]
    assert (force.unit, force.text) == ("N", "tensioner force")
    assert force[3:5].unit == "N" and force[::2].shape == (993,)
    assert type(force * force) is np.ndarray and type(np.sqrt(np.abs(force))) is np.ndarray
    assert isinstance(force.max(), float) and force.max() == np.asarray(force).max()
    assert float(results.transient["steps"]) > 0
    again = pickle.loads(pickle.dumps(force))
    assert (again.unit, again.text) == (force.unit, force.text) and np.array_equal(again, force)


def test_other_units(results: cs.Results) -> None:
    force = results.transient["tensioner.force"]
    assert np.array_equal(force.to("kN"), np.asarray(force) * 1e-3) and force.to("kN").unit == "kN"
    assert results.transient["tensioner.deflection"].to("mm").max() == pytest.approx(1.06, abs=1e-3)
    with pytest.raises(cs.InputError):
        force.to("kg")


def test_balance(results: cs.Results) -> None:
    balance = results.audit["transient"]
    assert balance.relative < 1e-9 and balance.residual == balance.energies["residual"]
    dissipated = sum(e for name, e in balance.energies.items() if balance.kinds[name] == "dissipated")
    assert dissipated > 0
    assert results.meta["drive"] == "tensioner-rig" and "tensioner" in str(results.meta["model"])


def test_names_that_are_none(results: cs.Results) -> None:
    with pytest.raises(cs.UnknownName, match='did you mean "tensioner.force"'):
        results.transient["tensioner.forec"]
    with pytest.raises(AttributeError, match="transient"):
        results.transiend
    assert "transient" in dir(results) and "transient" in repr(results) and "steady orbit" in repr(results)


def test_files_have_the_same_numbers(results: cs.Results, tmp_path: Path, examples: Path) -> None:
    results.save(tmp_path / "saved.h5")
    saved = cs.read(tmp_path / "saved.h5")
    direct = cs.Model(examples / "tensioner_rig.yaml").run(tmp_path / "run.h5")
    assert direct.path == str(tmp_path / "run.h5") and direct.complete
    for other in (saved, direct):
        assert list(other) == list(results)
        for name, group in results.items():
            for array in group:
                assert np.array_equal(np.asarray(other[name][array]), np.asarray(group[array]), equal_nan=True), (name, array)
    with pytest.raises(cs.InputError):
        cs.read(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("no HDF5")
    with pytest.raises(cs.InputError):
        cs.read(tmp_path / "text.h5")


def test_h5py_opens_what_is_open_here(results: cs.Results, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    results.save(tmp_path / "run.h5")
    here = cs.read(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        force = here.transient["tensioner.force"]
        assert np.array_equal(file["transient/tensioner.force"][:], force)
        assert file["transient/tensioner.force"].attrs["unit"].decode() == force.unit


def test_pandas_and_xarray(results: cs.Results) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    frame = results.transient.to_pandas("tensioner.*")
    assert frame.index.name == "time" and frame.attrs["units"]["tensioner.force"] == "N"
    assert frame["tensioner.force"].iloc[5] == results.transient["tensioner.force"][5]
    data = results.transient.to_xarray()
    assert data["tensioner.force"].dims == ("time",) and data["tensioner.force"].units == "N"
    assert data["film.tensioner.force"].dims == ("film.time",)
    for group in results.values():
        assert len(group.to_xarray().variables) == len(group)


def test_plots(results: cs.Results) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = results.transient.plot(["tensioner.force", "tensioner.deflection"])
    assert [panel.get_ylabel() for panel in axes] == ["N", "m"]
    results.transient.plot("tensioner.force", x="tensioner.deflection", ax=axes[0])
    with pytest.raises(cs.InputError):
        results.transient.plot("tensioner.*", ax=axes[0])


def test_reports(results: cs.Results, tmp_path: Path) -> None:
    results.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "tensioner rig, Masing" in page
    results.report(tmp_path / "two.html", against=results)
    assert (tmp_path / "two.html").stat().st_size > 10000
    shown = results._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc="') and "<script" not in shown


def test_callbacks(rig: Callable[..., cs.Model]) -> None:
    seen: list[tuple[str, float, float, str]] = []
    stages: list[tuple[str, bool]] = []
    notes: list[str] = []
    rig({"analyses": [{"transient": {"until": "2 s"}}]}).run(
        progress=lambda *what: seen.append(what), on_note=notes.append,
        on_stage=lambda analysis, ended, code, groups: stages.append((analysis, ended)))
    assert stages == [("transient", False), ("transient", True)]
    assert seen and all(done <= total * (1 + 1e-12) for _, done, total, _ in seen)
    assert all(isinstance(note, str) for note in notes)

    class Enough(Exception):
        pass

    def enough(*what: Any) -> None:
        raise Enough

    with pytest.raises(Enough):
        rig().run(progress=enough)
    calls = 0

    def fail(*what: Any) -> None:
        nonlocal calls
        calls += 1
        raise Enough

    with pytest.raises(Enough):
        rig().run(progress=fail, on_stage=fail, on_note=fail)
    assert calls == 1


def test_threads_run_at_once(rig: Callable[..., cs.Model]) -> None:
    expected = np.array(rig().run().transient["tensioner.force"])
    found: dict[int, Any] = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: np.array(rig().run().transient["tensioner.force"])}))
               for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(np.array_equal(one, expected) for one in found.values())


LONG = {"analyses": [{"transient": {"until": "1000 s", "method": "midpoint", "step": "5e-6 s"}}], "outputs.every": "1 s"}


def test_ctrl_c_ends_a_run(rig: Callable[..., cs.Model]) -> None:
    model = rig(LONG)  # minutes
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    since = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        model.run()
    assert time.process_time() - since < 0.5 + 0.5


def test_stop_ends_a_run(rig: Callable[..., cs.Model]) -> None:
    model = rig(LONG)
    threading.Timer(0.3, model.stop).start()
    with pytest.raises(cs.Stopped):
        model.run()


def test_a_run_that_was_interrupted_is_resumed(rig: Callable[..., cs.Model], tmp_path: Path) -> None:
    settings = {"analyses": [{"transient": {"until": "2 s", "method": "midpoint", "step": "1e-5 s"}}]}
    calls = 0

    def stop(*what: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            model.stop()

    model = rig(settings)
    with pytest.raises(cs.Stopped):
        model.run(tmp_path / "run.h5", progress=stop)
    resumed = model.run(tmp_path / "run.h5", resume=True)
    straight = rig(settings).run()
    assert resumed.complete
    assert np.array_equal(resumed.transient["tensioner.force"], straight.transient["tensioner.force"])
