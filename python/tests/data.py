"""Small data sets."""
import numpy as np
import pandas as pd


def ratings():
    """Ratings of 60 users and 40 movies, of low rank with noise; two fifths are there."""
    rng = np.random.default_rng(5)
    rows = [
        (user, movie, round(1 + user % 3 + movie % 3 * 0.5 + 0.2 * rng.random(), 3))
        for user in range(1, 61)
        for movie in range(300, 340)
        if (user * 31 + movie * 17) % 5 < 2 or (user == 42 and movie < 310)
    ]
    return pd.DataFrame(rows, columns=['userId', 'movieId', 'rating'])


def outer(gaps=0.3):
    """A matrix of rank 1 (20 × 10), and the same with gaps."""
    whole = np.outer(np.arange(1.0, 21), np.arange(1.0, 11))
    holed = whole.copy()
    holed[np.random.default_rng(2).random(whole.shape) < gaps] = np.nan
    return whole, holed
