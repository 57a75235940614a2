"""Belt drives from Python: run model files, drive them step by step, look at results.

    import capstan as cs

    model = cs.Model("drive.yaml", {"tensioner.damping": "0.2 N m s/rad"})
    results = model.run()
    tension = results.transient["span.alternator.tension"]  # a numpy array with .unit

docs/python.md describes all of it.
"""

from . import _capstan
from .errors import CapstanWarning, ComputationError, Error, Finding, InputError, Stopped, UnknownName
from .model import Model
from .results import Array, Balance, Group, Results, Table, read, report
from .rollout import Rollout
from .session import Reader, Session, State, StateSpace
from .study import Study, log_normal, normal, span, triangular, uniform
from .variables import Variable, Variables

__version__: str = _capstan.version()
__all__ = [
    "Array",
    "Balance",
    "CapstanWarning",
    "ComputationError",
    "Error",
    "Finding",
    "Group",
    "InputError",
    "Model",
    "Reader",
    "Results",
    "Rollout",
    "Session",
    "State",
    "StateSpace",
    "Stopped",
    "Study",
    "Table",
    "UnknownName",
    "Variable",
    "Variables",
    "log_normal",
    "normal",
    "read",
    "report",
    "span",
    "triangular",
    "uniform",
]
