"""The part of scikit-learn's base classes that the estimators need where it is not installed."""
import inspect


class BaseEstimator:
    """Parameters are the arguments of the constructor, stored under their names."""

    @classmethod
    def _names(cls):
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != 'self')

    def get_params(self, deep=True):
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Sets parameters; raises a ValueError for names that there are not."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f'There is no parameter {name!r}; there are {self._names()}.')
            setattr(self, name, value)
        return self

    def __repr__(self):
        return f'{type(self).__name__}({", ".join(f"{name}={value!r}" for name, value in self.get_params().items())})'


class TransformerMixin:
    """Adds fit_transform."""

    def fit_transform(self, X, y=None):
        """Fits and transforms X."""
        return self.fit(X, y).transform(X)
