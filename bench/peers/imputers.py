"""Imputers of scikit-learn, on a tensor unfolded to a matrix: all modes but the last as rows.

Usage: imputers.py knn|iterative TRAIN.tns TEST.tns. Prints one line of JSON: rmse on the test entries.
"""
import json
import sys
import warnings

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer

warnings.filterwarnings("ignore")
kind, train_path, test_path = sys.argv[1:4]
train, test = (np.loadtxt(path, comments="#", ndmin=2) for path in (train_path, test_path))
dims = np.maximum(train.max(0), test.max(0))[:-1].astype(int)


def cells(rows):
    index = rows[:, :-1].astype(int) - 1
    return np.ravel_multi_index(tuple(index[:, :-1].T), tuple(dims[:-1])), index[:, -1]


matrix = np.full((int(np.prod(dims[:-1])), dims[-1]), np.nan)
matrix[cells(train)] = train[:, -1]
seen = ~np.isnan(matrix).all(1)
columns = ~np.isnan(matrix).all(0)
imputer = KNNImputer(n_neighbors=10) if kind == "knn" else IterativeImputer(max_iter=10, random_state=0)
filled = np.full(matrix.shape, np.nanmean(matrix))
filled[np.ix_(seen, columns)] = imputer.fit_transform(matrix[np.ix_(seen, columns)])
error = filled[cells(test)] - test[:, -1]
print(json.dumps({"rmse": float(np.sqrt(np.mean(error**2)))}))
