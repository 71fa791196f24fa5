"""Small data sets."""
import numpy as np
import pandas as pd

from .data_numpy import outer as outer


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
