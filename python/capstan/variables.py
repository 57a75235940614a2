"""The variables of a model: parameters, inputs, outputs and states, with their units and limits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape
from typing import Iterable, Iterator, Mapping

from .errors import unknown


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern describes, in which * stands for any text: "span.*.tension"."""
    expression = re.compile(".*".join(re.escape(part) for part in pattern.split("*")))
    return [name for name in names if expression.fullmatch(name)]


def chosen(patterns: str | Iterable[str], names: Iterable[str], what: str) -> list[str]:
    """The names that one or several patterns describe, in the order of the patterns; one that has none is an error."""
    all_names = list(names)
    found: list[str] = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        some = matching(pattern, all_names)
        if not some:
            raise unknown(what, pattern, all_names)
        found += [name for name in some if name not in found]
    return found


@dataclass(frozen=True)
class Variable:
    """A number of a model that has a name."""

    name: str
    unit: str  # of the SI; "1" or "": a pure number
    text: str  # what it is
    start: float  # of a parameter its value; NaN where it is known in a session only
    low: float
    high: float
    low_open: bool  # the limit itself is not allowed
    high_open: bool
    position: bool  # an input that imposes a position: it takes rates, no jumps
    kind: str  # "parameter", "input", "output", "state"
    index: int

    @property
    def limits(self) -> str:
        """The range, such as "[0, inf)"."""
        left = "(" if self.low_open or math.isinf(self.low) else "["
        right = ")" if self.high_open or math.isinf(self.high) else "]"
        return f"{left}{self.low:g}, {self.high:g}{right}"


class Variables(Mapping[str, Variable]):
    """All variables of a kind, by name."""

    def __init__(self, kind: str, rows: list[tuple[str, str, str, float, float, float, bool, bool, bool]]) -> None:
        self.kind = kind
        self._all = {row[0]: Variable(*row, kind, index) for index, row in enumerate(rows)}

    def __getitem__(self, name: str) -> Variable:
        try:
            return self._all[name]
        except KeyError:
            raise unknown(self.kind, name, self._all) from None

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def match(self, patterns: str | Iterable[str]) -> list[str]:
        """Names by patterns with *; one that describes none is an error."""
        return chosen(patterns, self._all, self.kind)

    def __repr__(self) -> str:
        wide = max((len(name) for name in self._all), default=0)
        return "\n".join(f"{v.name:{wide}}  {v.start:12.6g} {v.unit:8}  {v.text}" for v in self._all.values())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(v.name)}</td><td>{v.start:.6g}</td><td>{escape(v.unit)}</td>"
            f"<td>{escape(v.limits)}</td><td>{escape(v.text)}</td></tr>"
            for v in self._all.values()
        )
        head = "<tr><th>name</th><th>start</th><th>unit</th><th>range</th><th></th></tr>"
        return f"<table>{head}{rows}</table>"
