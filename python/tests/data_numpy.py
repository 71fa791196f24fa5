"""Small data sets that need NumPy alone."""
import numpy as np


def outer(gaps=0.3):
    """A matrix of rank 1 (20 × 10), and the same with gaps."""
    whole = np.outer(np.arange(1.0, 21), np.arange(1.0, 11))
    holed = whole.copy()
    holed[np.random.default_rng(2).random(whole.shape) < gaps] = np.nan
    return whole, holed
