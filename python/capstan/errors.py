"""What goes wrong, as exceptions that say where, what was found and what was expected."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Iterable, Sequence

_PLACE = re.compile(r"^(?P<file>[^:\n]+?)(?::(?P<line>\d+):(?P<column>\d+))?: (?P<warning>warning: )?(?P<rest>.*)$")
_EXPECTED = re.compile(r"expected (?P<expected>.*?)(?:, (?:got|found) (?P<value>.*))?$")
_SETTING = re.compile(r"--set (?P<path>[^=]*)=")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a model or a study, or worth a warning."""

    text: str  # "expected a length such as "45 mm", got "45 kg""
    path: str = ""  # "pulleys[2].radius"
    file: str = ""
    line: int = 0  # from 1; 0: unknown
    column: int = 0
    warning: bool = False

    @property
    def expected(self) -> str:
        """What was expected, or ""."""
        found = _EXPECTED.search(self.text)
        return found["expected"] if found else ""

    @property
    def value(self) -> str:
        """What was found instead, or ""."""
        found = _EXPECTED.search(self.text)
        return (found["value"] or "").strip('"') if found else ""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}:{self.column}" if self.line else "")
        parts = [place] if place else []
        if self.warning:
            parts.append("warning")
        if self.path and not self.file.startswith("--set "):
            parts.append(self.path)
        return ": ".join([*parts, self.text])

    @staticmethod
    def parse(line: str) -> "Finding":
        """A line "FILE:LINE:COLUMN: PATH: TEXT" of a message."""
        found = _PLACE.match(line)
        if not found or not found["line"]:
            return Finding(line)
        rest, path = found["rest"], ""
        key = re.match(r"^([\w.\-'\[\]]+): ", rest)
        if key:
            path, rest = key[1], rest[key.end():]
        return Finding(rest, path, found["file"], int(found["line"]), int(found["column"]), bool(found["warning"]))


class Error(Exception):
    """Whatever the library refuses or fails to do."""


class InputError(Error, ValueError):
    """What was given is not usable; nothing has changed. `findings` has each fault at its place.

    The place of the first one is repeated: `path`, `file`, `line`, `column`, `value`, `expected`.
    """

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = list(findings)
        first = next((f for f in self.findings if not f.warning), Finding(message))
        self.path = first.path
        self.file = first.file
        self.line = first.line
        self.column = first.column
        self.value = first.value
        self.expected = first.expected

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.findings)


class ComputationError(Error, RuntimeError):
    """The computation failed. `partial`: results of a run up to there, or None."""

    partial: Any = None


class Stopped(Error):
    """A run was ended by `stop()` or its time limit. `partial`: its results up to there, or None."""

    partial: Any = None


class CapstanWarning(UserWarning):
    """A model is accepted, but something in it deserves a look."""


def findings_of(rows: Iterable[tuple[bool, str, int, int, str, str]]) -> list[Finding]:
    found = []
    for warning, file, line, column, path, text in rows:
        setting = _SETTING.match(file)
        if setting and not path:
            path = setting["path"]
        found.append(Finding(text, path, file, line, column, warning))
    return found


def of(code: int, message: str, rows: Sequence[tuple[bool, str, int, int, str, str]]) -> Error:
    """The exception for a code of the library; called by the extension module."""
    message = message.rstrip("\n")
    if code == 2:
        findings = findings_of(rows) or [Finding.parse(line) for line in message.splitlines()]
        return InputError(message, findings)
    if code == 130:
        return Stopped(message or "stopped")
    if message == "out of memory":
        return ComputationError(message)
    return ComputationError(message or "the computation failed")


class UnknownName(Error, KeyError):
    """There is no variable, group or array of this name."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def unknown(what: str, name: str, known: Iterable[str]) -> UnknownName:
    """The exception for a name that is none, with the nearest one that is."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return UnknownName(f'there is no {what} "{name}"' + (f'; did you mean "{near[0]}"?' if near else ""))
