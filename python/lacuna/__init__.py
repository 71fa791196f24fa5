"""Lacuna: sparse nonnegative CP (PARAFAC) tensor completion. Runs the lacuna command; docs/python.md describes it."""
__version__ = '1.0.0'

from ._complete import complete
from ._server import Server, shutdown
from .errors import LacunaError, LacunaProcessError, LacunaWarning
from .estimators import LacunaImputer, LacunaRecommender
from .model import Intervals, Model, load

__all__ = [
    'Intervals',
    'LacunaError',
    'LacunaImputer',
    'LacunaProcessError',
    'LacunaRecommender',
    'LacunaWarning',
    'Model',
    'Server',
    'complete',
    'load',
    'shutdown',
]
