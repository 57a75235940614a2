"""Results: groups of columns, arrays and numbers with units, as numpy arrays over the library's own memory."""

from __future__ import annotations

import math
import os
import tempfile
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from . import _capstan
from .errors import ComputationError, InputError, unknown
from .variables import chosen

if TYPE_CHECKING:
    import pandas
    import xarray

Path = Union[str, "os.PathLike[str]"]
Floats = npt.NDArray[np.float64]


class Array(np.ndarray[Any, np.dtype[np.float64]]):
    """Numbers with a unit and a sentence on what they are; what is computed from them is a plain array."""

    unit: str
    text: str
    axes: tuple[str, ...]

    def __new__(cls, values: Any, unit: str = "", text: str = "", axes: tuple[str, ...] = ()) -> "Array":
        array = np.asarray(values).view(cls)
        array.unit, array.text, array.axes = unit, text, axes
        return array

    def __array_finalize__(self, of: Any) -> None:
        self.unit = getattr(of, "unit", "")
        self.text = getattr(of, "text", "")
        self.axes = getattr(of, "axes", ())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        # The unit of a result would be a guess.
        plain = [np.asarray(x) if isinstance(x, Array) else x for x in inputs]
        if "out" in keywords:
            keywords["out"] = tuple(np.asarray(x) if isinstance(x, Array) else x for x in keywords["out"])
        return getattr(ufunc, method)(*plain, **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        return Array, (np.array(self), self.unit, self.text, self.axes)

    def to(self, unit: str) -> "Array":
        """The same in another unit of the same dimension: force.to("kN")."""
        return Array(np.asarray(self) * _capstan.convert(self.unit, unit), unit, self.text, self.axes)


class Balance(NamedTuple):
    """An energy balance: energies into the system by name, in J, and what the residual is compared with."""

    energies: dict[str, float]
    scale: float
    kinds: dict[str, str]  # "input", "stored", "dissipated", "integrator", "residual"

    @property
    def residual(self) -> float:
        """What is not accounted for, J."""
        return self.energies.get("residual", math.nan)

    @property
    def relative(self) -> float:
        """The residual as a share of `scale`."""
        return abs(self.residual) / self.scale if self.scale > 0 else math.nan


class Table(Mapping[str, Array]):
    """Columns of equal length with the first one, such as the time, as their axis; and what is no column."""

    def __init__(self, columns: Mapping[str, Array], others: Mapping[str, Array] | None = None) -> None:
        self._columns: Mapping[str, Array] = columns
        self._others: Mapping[str, Array] = others or {}

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    @property
    def arrays(self) -> list[str]:
        """Names of what is no column: numbers, and arrays of any rank."""
        return list(self._others)

    def __getitem__(self, name: str) -> Array:
        for part in (self._columns, self._others):
            if name in part:
                return part[name]
        raise unknown("array", name, self)

    def __iter__(self) -> Iterator[str]:
        yield from self._columns
        yield from self._others

    def __len__(self) -> int:
        return len(self._columns) + len(self._others)

    def __contains__(self, name: object) -> bool:
        return name in self._columns or name in self._others

    @property
    def axis(self) -> str:
        """The name of the first column, "" where there is none."""
        return next(iter(self._columns), "")

    @property
    def time(self) -> Array:
        """s"""
        return self["time"]

    def match(self, patterns: str | Iterable[str]) -> list[str]:
        """Names of columns by patterns with *; one that describes none is an error."""
        return chosen(patterns, self._columns, "column")

    def __repr__(self) -> str:
        rows = len(self._columns[self.axis]) if self._columns else 0
        lines = [f"{len(self._columns)} columns of {rows} rows, {len(self._others)} arrays"]
        wide = max((len(name) for name in self), default=0)
        for name in self._columns:
            array = self._columns[name]
            lines.append(f"  {name:{wide}}  {array.unit:8}  {array.text}")
        for name in self._others:
            array = self._others[name]
            shape = " x ".join(map(str, array.shape))
            lines.append(f"  {name:{wide}}  {array.unit:8}  {shape + ', ' if shape else ''}{array.text}")
        return "\n".join(lines)

    def to_pandas(self, names: str | Iterable[str] = "*") -> "pandas.DataFrame":
        """The columns as a DataFrame over the first one; attrs["units"] has their units."""
        import pandas

        chosen_names = [name for name in self.match(names) if name != self.axis]
        index = pandas.Index(np.asarray(self[self.axis]), name=self.axis)
        frame = pandas.DataFrame({name: np.asarray(self[name]) for name in chosen_names}, index=index)
        frame.attrs["units"] = {name: self[name].unit for name in [self.axis, *chosen_names]}
        return frame

    def to_xarray(self) -> "xarray.Dataset":
        """Everything as a Dataset with units and the axes that the library names."""
        import xarray

        data: dict[str, Any] = {}
        coords: dict[str, Any] = {}
        for name in self._columns:
            target = coords if name == self.axis else data
            target[name] = ((self.axis,), np.asarray(self[name]), _about(self[name]))
        own = {name for name in self._others if self._others[name].ndim == 1 and name in _named_axes(self._others)}
        for name in self._others:
            array = self._others[name]
            dims = tuple(_dim(self, name, array, k) for k in range(array.ndim))
            target = coords if name in own and dims == (name,) else data
            target[name] = (dims, np.asarray(array), _about(array))
        return xarray.Dataset(data, coords)

    def plot(self, names: str | Iterable[str], x: str | None = None, ax: Any = None, **style: Any) -> Any:
        """Columns over the first one, or over x, with matplotlib: one axes for each unit; returns these."""
        import matplotlib.pyplot as plt

        chosen_names = self.match(names)
        units = list(dict.fromkeys(self[name].unit for name in chosen_names))
        if ax is None:
            _, panels = plt.subplots(len(units), 1, sharex=True, squeeze=False, layout="constrained")
            axes = list(panels[:, 0])
        else:
            axes = list(np.atleast_1d(ax))
            if len(axes) != len(units):
                raise InputError(f"expected {len(units)} axes, one for each of {', '.join(units)}; got {len(axes)}")
        across = self[x or self.axis]
        for name in chosen_names:
            axes[units.index(self[name].unit)].plot(np.asarray(across), np.asarray(self[name]), label=name, **style)
        for panel, unit in zip(axes, units):
            panel.set_ylabel(unit)
            panel.legend()
        axes[-1].set_xlabel(f"{x or self.axis} / {across.unit}")
        return axes if ax is None or len(axes) > 1 else axes[0]


def _about(array: Array) -> dict[str, str]:
    return {"units": array.unit or "1", "long_name": array.text}


def _named_axes(arrays: Mapping[str, Array]) -> set[str]:
    return {axis for name in arrays for axis in arrays[name].axes}


def _dim(table: Table, name: str, array: Array, k: int) -> str:
    """The name of a dimension of an array: of its axis, of the rows, or one of its own."""
    if k < len(array.axes) and array.axes[k]:
        axis = array.axes[k]
        if axis not in table or table[axis].shape == (array.shape[k],):
            return axis
    if array.ndim == 1 and name in _named_axes(table._others):
        return name
    return f"{name} {k + 1}"


class _Lazy(Mapping[str, Array]):
    """Arrays of a group, each looked up at its first use."""

    def __init__(self, core: _capstan.Results, group: int, rows: dict[str, tuple[int, Any]]) -> None:
        self._core, self._group, self._rows = core, group, rows
        self._seen: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._seen:
            index, (_, unit, text, axes, _, _) = self._rows[name]
            names = tuple(axis.strip() for axis in axes.split(",")) if axes else ()
            self._seen[name] = Array(self._core.values(self._group, index), unit, text, names)
        return self._seen[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows


class Group(Table):
    """The results of one analysis. Arrays are views on the library's memory, which they keep alive."""

    def __init__(self, core: _capstan.Results, index: int, row: tuple[Any, ...]) -> None:
        self.name, self.analysis, self.title, self.complete, arrays, texts = row
        numbered = {array[0]: (k, array) for k, array in enumerate(arrays)}
        super().__init__(
            _Lazy(core, index, {name: row for name, row in numbered.items() if row[1][4]}),
            _Lazy(core, index, {name: row for name, row in numbered.items() if not row[1][4]}),
        )
        self.texts: dict[str, str] = dict(texts)

    def __repr__(self) -> str:
        return f"{self.name}: {self.title or self.analysis}{'' if self.complete else ' (not complete)'}, {super().__repr__()}"


def _balance(group: Group) -> Balance:
    energies, kinds, scale = {}, {}, math.nan
    for k, energy in enumerate(np.asarray(group["energy"])):
        name, kind = group.texts[f"name[{k}]"], group.texts[f"kind[{k}]"]
        if kind == "scale":
            scale = float(energy)
        else:
            energies[name], kinds[name] = float(energy), kind
    return Balance(energies, scale, kinds)


class Results(Mapping[str, Group]):
    """The results of a run or a study: groups by name, results["transient-2"] or results.transient."""

    def __init__(self, core: _capstan.Results, path: str | None = None) -> None:
        self._core = core
        self.path = path  # of the file; None: in memory
        self._groups: dict[str, Group] = {}
        self.audit: dict[str, Balance] = {}  # energy balances by the name of their group
        self.meta: dict[str, str | float] = {}  # what the results are about: version, drive, model, ...
        for index, row in enumerate(core.groups()):
            group = Group(core, index, row)
            if group.name == "meta":
                self.meta = {name: float(group[name]) for name in group if group[name].ndim == 0} | group.texts
            elif group.name.startswith("audit/"):
                self.audit[group.name[len("audit/") :]] = _balance(group)
            else:
                self._groups[group.name] = group

    def __getitem__(self, name: str) -> Group:
        try:
            return self._groups[name]
        except KeyError:
            raise unknown("group of results", name, self._groups) from None

    def __getattr__(self, name: str) -> Group:
        groups = self.__dict__.get("_groups", {})
        if name in groups:
            return groups[name]  # type: ignore[no-any-return]
        raise AttributeError(str(unknown("group of results", name, groups)))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._groups if name.isidentifier())]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def complete(self) -> bool:
        """Whether all groups came to their ends."""
        return all(group.complete for group in self._groups.values())

    def __repr__(self) -> str:
        lines = [f"results {'in ' + self.path if self.path else 'in memory'}"]
        for name, group in self._groups.items():
            lines.append(f"  {name:16} {group.title or group.analysis}{'' if group.complete else ' (not complete)'}")
        return "\n".join(lines)

    def save(self, path: Path) -> None:
        """Writes results in memory as the HDF5 file that a run would have written."""
        self._core.save(os.fspath(path))

    def report(self, page: Path, against: "Results | Path | None" = None) -> None:
        """Writes the page of these results, as `capstan report`; with others to compare them with."""
        with tempfile.TemporaryDirectory() as folder:
            files = [self._file(folder, "results.h5")]
            if isinstance(against, Results):
                files.append(against._file(folder, "against.h5"))
            elif against is not None:
                files.append(os.fspath(against))
            _capstan.report(files, os.fspath(page))

    def _file(self, folder: str, name: str) -> str:
        if self.path is not None:
            return self.path
        path = os.path.join(folder, name)
        self.save(path)
        return path

    def page(self) -> str:
        """The page of these results as HTML."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.report(path)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self) -> str:
        """In a notebook: the page, in a frame that reaches nothing else."""
        try:
            page = self.page()
        except (ComputationError, InputError, OSError) as error:
            return f"<pre>{escape(repr(self))}\n{escape(str(error))}</pre>"
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(page, quote=True)}" title="report" '
            'style="width: 100%; height: 720px; border: 1px solid #8884"></iframe>'
        )


def read(path: Path) -> Results:
    """Opens a result file of a run or a study."""
    name = os.fspath(path)
    return Results(_capstan.Results(name), name)


def report(results: Results | Path, page: Path, against: Results | Path | None = None) -> None:
    """Writes the page of results, as `capstan report`."""
    (results if isinstance(results, Results) else read(results)).report(page, against)
