"""Estimators in the style of scikit-learn; they work without it, too."""
import numpy as np

from ._complete import complete
from ._server import shared_server
from .errors import LacunaError

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    from ._base import BaseEstimator, TransformerMixin

#: Entries per request of a transform; more rows are sent in several.
ENTRIES_PER_REQUEST = 200_000


class LacunaImputer(TransformerMixin, BaseEstimator):
    """Fills NaN in an array (samples × features) by a nonnegative low-rank model.

    Before the model is learned each feature is divided by its range, from 0 or its least value if that is negative,
    so that features may be negative and have different units.
    Each row is completed by fold-in from its own observed values, so that new rows are filled as training rows are.
    A row without any value gets the training means.

    rank, folds, seconds: as in `lacuna.complete`; ensembles (folds) are better and slower.
    random_state: seed, a whole number from 0. options: dict of further options of `lacuna.complete`.
    """

    def __init__(self, rank=10, folds=None, seconds=None, random_state=1, options=None, server=None):
        self.rank = rank
        self.folds = folds
        self.seconds = seconds
        self.random_state = random_state
        self.options = options
        self.server = server

    def fit(self, X, y=None):
        """Learns a model of the observed values of X."""
        X = self._validated(X, reset=True)
        self.n_features_in_ = X.shape[1]
        is_known = ~np.isnan(X)
        if not is_known.any(axis=0).all():
            empty = int(np.flatnonzero(~is_known.any(axis=0))[0])
            raise LacunaError(f'Feature {empty} has no values at all; leave it out.')
        with np.errstate(invalid='ignore'):
            # Features that are nonnegative keep their zero, so that products of factors can describe them.
            self.data_min_ = np.minimum(np.nanmin(X, axis=0), 0)
            span = np.nanmax(X, axis=0) - self.data_min_
        self.data_range_ = np.where(span > 0, span, 1.0)
        self.statistics_ = np.nanmean(X, axis=0)
        self.model_ = complete(
            self._scale(X),
            **{
                'rank': min(self.rank, max(1, min(X.shape))) if isinstance(self.rank, (int, np.integer)) else self.rank,
                'folds': self.folds,
                'seconds': self.seconds,
                'seed': self._seed(),
                'progress': False,
                'server': self.server or shared_server(),
                **(self.options or {}),
            },
        )
        return self

    def transform(self, X):
        """X with its NaN replaced; observed values stay as they are."""
        if not hasattr(self, 'model_'):
            raise _not_fitted(self)
        X = self._validated(X, reset=False)
        filled = X.copy()
        is_missing = np.isnan(X)
        has_values = ~is_missing.all(axis=1)
        filled[~has_values] = self.statistics_
        rows = np.flatnonzero(is_missing.any(axis=1) & has_values)
        per_request = max(1, ENTRIES_PER_REQUEST // X.shape[1])
        scaled = self._scale(X)
        for start in range(0, len(rows), per_request):
            part = rows[start : start + per_request]
            filled[part] = self._fill(X[part], scaled[part], is_missing[part])
        return filled

    def get_feature_names_out(self, input_features=None):
        """The names of the features, which are those of the input."""
        if input_features is not None:
            return np.asarray(input_features, dtype=object)
        if hasattr(self, 'feature_names_in_'):
            return self.feature_names_in_
        return np.array([f'x{i}' for i in range(self.n_features_in_)], dtype=object)

    def _fill(self, X, scaled, is_missing):
        """Rows that have values and gaps, filled."""
        first = self.model_.shape[0]
        known, gaps = np.nonzero(~is_missing), np.nonzero(is_missing)
        entries = {
            'mode_1': (first + 1 + known[0]).tolist(),
            'mode_2': (1 + known[1]).tolist(),
            'value': scaled[known].tolist(),
        }
        cells = {'mode_1': (first + 1 + gaps[0]).tolist(), 'mode_2': (1 + gaps[1]).tolist()}
        answer = self.model_._ask('fold-in', {'entries': entries, 'value': 'value', 'cells': cells, 'clip': False})
        filled = X.copy()
        filled[gaps] = self.data_min_[gaps[1]] + np.array(answer['predictions']) * self.data_range_[gaps[1]]
        return filled

    def _scale(self, X):
        """X relative to the range of the training values; values below it count as its minimum."""
        return np.maximum(0, (X - self.data_min_) / self.data_range_)

    def _seed(self):
        if self.random_state is None:
            return 1
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(self.random_state.randint(2**31 - 1))

    def _validated(self, X, reset):
        least = {'dtype': np.float64, 'ensure_min_features': 2, 'ensure_min_samples': 2 if reset else 1}
        if hasattr(self, '_validate_data'):
            return self._validate_data(X, reset=reset, force_all_finite='allow-nan', **least)
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:
            return self._check_array(X, reset)
        return validate_data(self, X, reset=reset, ensure_all_finite='allow-nan', **least)

    def _check_array(self, X, reset):
        """The same checks without scikit-learn."""
        X = np.array(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] < 2 or X.shape[0] < (2 if reset else 1):
            raise LacunaError(f'X has the shape {X.shape}; it needs two samples and two features at least.')
        if np.isinf(X).any():
            raise LacunaError('X contains infinity; it may contain finite numbers and NaN.')
        if not reset and X.shape[1] != self.n_features_in_:
            raise LacunaError(f'X has {X.shape[1]} features, but the imputer was fitted with {self.n_features_in_}.')
        return X

    def _more_tags(self):
        return {'allow_nan': True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class LacunaRecommender(BaseEstimator):
    """Recommends items to users, learned from triples of user, item and rating.

    rank, folds, best, seconds, random_state, options: as in LacunaImputer and `lacuna.complete`.
    """

    def __init__(self, rank=10, folds=None, best=False, seconds=None, random_state=1, options=None, server=None):
        self.rank = rank
        self.folds = folds
        self.best = best
        self.seconds = seconds
        self.random_state = random_state
        self.options = options
        self.server = server

    def fit(self, X, y=None):
        """Learns from triples: X has the columns user, item and rating, in this order; or two, with the ratings as y."""
        users, items, ratings = _triples(X, y)
        self.model_ = complete(
            {'user': users, 'item': items, 'rating': ratings},
            **{
                'modes': ['user', 'item'],
                'value': 'rating',
                'rank': None if self.best else self.rank,
                'folds': self.folds,
                'best': self.best,
                'seconds': self.seconds,
                'seed': self.random_state,
                'progress': False,
                'server': self.server or shared_server(),
                **(self.options or {}),
            },
        )
        self.seen_ = {}
        for user, item in zip(users, items):
            self.seen_.setdefault(user, []).append(item)
        return self

    def recommend(self, user, n=10, exclude_seen=True):
        """The n best items for a user, as a list of (item, predicted rating); without those that the user has rated."""
        self._check_fitted()
        seen = self.seen_.get(user, []) if exclude_seen else []
        rows = self.model_.top('item', user=user, n=n, exclude=seen)
        items = self._items()
        return [(items.get(str(row['label']), row['label']), row['predicted']) for row in rows]

    def predict(self, X):
        """Predicted ratings of pairs (user, item); NaN for users and items that were not in the triples."""
        self._check_fitted()
        users, items, _ = _triples(X, None, 2)
        return self.model_.predict({'user': users, 'item': items}, unknown='nan')

    def similar(self, item, n=10):
        """The n items most similar to one, as a list of (item, similarity)."""
        self._check_fitted()
        items = self._items()
        rows = self.model_.similar('item', item, n)
        return [(items.get(str(row['label']), row['label']), row['similarity']) for row in rows]

    def _items(self):
        """The items as they were given, by their labels."""
        if not hasattr(self, '_by_label'):
            self._by_label = {str(item): item for items in self.seen_.values() for item in items}
        return self._by_label

    def _check_fitted(self):
        if not hasattr(self, 'model_'):
            raise _not_fitted(self)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != '_by_label'}


def _triples(X, y, needed=3):
    """Users, items and ratings as lists, from a DataFrame, a dict of columns, an array or a list of tuples."""
    if hasattr(X, 'columns') or isinstance(X, dict):
        columns = [list(X[name]) for name in (X if isinstance(X, dict) else X.columns)]
    else:
        columns = [list(column) for column in zip(*(X.tolist() if isinstance(X, np.ndarray) else X))]
    if y is not None:
        columns = [*columns[:2], list(y)]
    if len(columns) < needed:
        wanted = 'user, item and rating' if needed == 3 else 'user and item'
        raise LacunaError(f'There are {len(columns)} columns; {wanted} are needed.')
    columns = [[item.item() if isinstance(item, np.generic) else item for item in column] for column in columns]
    return columns[0], columns[1], [float(x) for x in columns[2]] if needed == 3 else None


def _not_fitted(estimator):
    message = f'This {type(estimator).__name__} is not fitted yet; call fit first.'
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return LacunaError(message)
    return NotFittedError(message)
