"""Alternating least squares for CP completion in NumPy: the textbook baseline.

Usage: als.py TRAIN.tns TEST.tns RANK SEED. The ridge is chosen from a grid by a tenth of the training entries, then the
factors are learned from all. Prints one line of JSON: rmse on the test entries, lambda, sweeps.
"""
import json
import sys

import numpy as np


def read(path):
    rows = np.loadtxt(path, comments="#", ndmin=2)
    return rows[:, :-1].astype(int) - 1, rows[:, -1]


def product(factors, index, skip=None):
    """Rows of the Khatri-Rao product at the entries, without one mode."""
    result = 1.0
    for mode, factor in enumerate(factors):
        if mode != skip:
            result = result * factor[index[:, mode]]
    return result


def learn(index, values, dims, rank, ridge, seed, most=60):
    """Sweeps over the modes until the training error changes by less than 1e-4 of itself."""
    random = np.random.default_rng(seed)
    scale = (np.mean(values) / rank) ** (1 / len(dims))
    factors = [scale * random.uniform(0.5, 1.5, (size, rank)) for size in dims]
    orders = [np.argsort(index[:, mode], kind="stable") for mode in range(len(dims))]
    before = np.inf
    for sweep in range(1, most + 1):
        for mode, order in enumerate(orders):
            rows = index[order, mode]
            starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
            k = product(factors, index[order], mode)
            gram = np.add.reduceat(k[:, :, None] * k[:, None, :], starts) + ridge * np.eye(rank)
            right = np.add.reduceat(k * values[order, None], starts)
            factors[mode][rows[starts]] = np.linalg.solve(gram, right[:, :, None])[:, :, 0]
        error = np.sqrt(np.mean((product(factors, index).sum(1) - values) ** 2))
        if abs(before - error) < 1e-4 * before:
            break
        before = error
    return factors, sweep


def rmse(factors, index, values):
    return float(np.sqrt(np.mean((product(factors, index).sum(1) - values) ** 2)))


train_path, test_path, rank, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
(index, values), (test_index, test_values) = read(train_path), read(test_path)
dims = np.maximum(index.max(0), test_index.max(0)) + 1
held = np.random.default_rng(seed).random(len(values)) < 0.1
unit = np.mean(values**2)
grid = [unit * 10.0**power for power in (-3, -2, -1, 0)]
errors = [rmse(learn(index[~held], values[~held], dims, rank, ridge, seed)[0], index[held], values[held]) for ridge in grid]
ridge = grid[int(np.argmin(errors))]
factors, sweeps = learn(index, values, dims, rank, ridge, seed)
print(json.dumps({"rmse": rmse(factors, test_index, test_values), "lambda": ridge, "sweeps": sweeps}))
