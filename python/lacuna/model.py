"""Models: what `lacuna.complete` and `lacuna.load` return."""
import os
import shutil
import tempfile
import weakref
from typing import NamedTuple

import numpy as np

from . import _tables
from ._files import TemporaryFolder, read_about
from ._server import shared_server
from .errors import LacunaError, LacunaProcessError

#: Cells or entries per request; more are sent in several.
ROWS_PER_REQUEST = 500_000
#: Numbers of ranked rows that need not be whole.
FLOATS = ('predicted', 'mean', 'similarity')


class Intervals(NamedTuple):
    """Predictions with the ends of their prediction intervals; NaN where none can be given."""

    prediction: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Model:
    """A model or an ensemble in a file (.npz). Made by `lacuna.complete` and `lacuna.load`."""

    def __init__(self, path, server=None, folder=None, report=None, known=()):
        self._server = server or shared_server()
        # Tables of the entries that are known, by which `top` leaves out what has been observed.
        self._known = tuple(known)
        self._folder = folder
        self._opened = None
        #: The file of the model.
        self.path = os.path.abspath(os.fspath(path))
        #: What `lacuna complete --json` reported: settings, errors, comparison with baselines. None after `load`.
        self.report = report
        self._open()
        self._about, self._members = read_about(self.path)
        self._labels = None

    def __repr__(self):
        sizes = ' × '.join(f'{name} ({size})' for name, size in zip(self.modes, self.shape))
        kind = f'ensemble of {len(self._members)}' if self.is_ensemble else 'model'
        return f'<lacuna {kind} of rank {self._members[0].rank}: {sizes}>'

    def __reduce__(self):
        with open(self.path, 'rb') as file:
            return _from_bytes, (file.read(), self.report)

    @property
    def modes(self):
        """The names of the modes."""
        modes = self._about.get('modes')
        return [(modes[i]['name'] if modes else '') or f'mode_{i + 1}' for i in range(len(self.shape))]

    @property
    def shape(self):
        """The sizes of the modes."""
        return tuple(self._about['dims'])

    @property
    def labels(self):
        """Per mode, the labels of its rows: ints and floats where they are numbers; None where rows are called by their
        number from 1."""
        if self._labels is None:
            labels = self._about.get('labels') or [None] * len(self.shape)
            self._labels = [own and [_typed(label, kind) for label in own] for own, kind in zip(labels, self._types)]
        return self._labels

    @property
    def _types(self):
        """The SQL type of each mode's labels; None where it is not known."""
        return [mode.get('type') for mode in self._about.get('modes') or [{}] * len(self.shape)]

    @property
    def value(self):
        """The name of the values."""
        return self._about.get('training', {}).get('value') or 'value'

    @property
    def is_ensemble(self):
        """Whether the model is an ensemble of folds, which has intervals."""
        return self._about.get('members') is not None

    @property
    def members(self):
        """The sets of factors; one, or those of an ensemble."""
        return self._members

    @property
    def weights(self):
        """The weight of each member in the prediction."""
        count = len(self._members)
        return np.array(self._about.get('weights') or [1 / count] * count)

    @property
    def factors(self):
        """The factors as arrays (size × R), read from the file. An ensemble has several sets: see `members`."""
        if self.is_ensemble:
            raise LacunaError(
                'An ensemble has several sets of factors; take those of model.members[0], which components() describes.'
            )
        return self._members[0].factors

    def predict(self, queries, clip=True, unknown='error'):
        """Predicts cells.

        queries: a DataFrame, dict of columns or list of dicts with a label for each mode; an array (cells × modes)
        of indices from 0; or a dict with one label for each mode, for one number.
        clip: whether predictions are limited to the range of the training values.
        unknown: 'error', or 'nan' to predict NaN for labels that the model does not know.
        """
        answers = self._predict(queries, {'clip': clip, 'unknown': _unknown(unknown)})
        return answers['predictions'] if not _is_one_cell(queries) else float(answers['predictions'][0])

    def intervals(self, queries, level=0.9, unknown='error'):
        """Predicts cells with conformal prediction intervals, which contain the value with the given probability.

        Only ensembles (folds=…, best=True) have them."""
        answers = self._predict(queries, {'interval': level, 'unknown': _unknown(unknown)})
        return Intervals(answers['predictions'], answers['low'], answers['high'])

    def top(self, of, n=10, exclude=None, min_entries=None, clip=True, for_=None, **fixed):
        """The rows of a mode with the largest predictions, as in model.top('film', user='ann').

        fixed, for_: labels of other modes; modes without one are averaged.
        exclude: labels that are left out; by default those that have been observed with the fixed labels, as far as
        this model knows: in the table that `complete` was given, and in the entries of `fold_in` and `update`. A model
        of `load` does not know its training data.
        Returns a list of dicts with label, predicted, entries, mean and why (contributing components)."""
        asked = _plain({**(for_ or {}), **fixed})
        request = {'of': of, 'for': asked, 'n': n, 'clip': clip}
        request['exclude'] = self._observed(of, asked) if exclude is None else _tables.request_labels_of(list(exclude))
        if min_entries is not None:
            request['minEntries'] = min_entries
        return self._rows(of, self._ask('top', request)['rows'])

    def similar(self, mode, label, n=10, min_entries=None):
        """The rows of a mode that are most similar to the one with this label, as a list of dicts."""
        request = {'mode': mode, 'label': _plain({mode: label})[mode], 'n': n}
        if min_entries is not None:
            request['minEntries'] = min_entries
        return self._rows(mode, self._ask('similar', request)['rows'])

    def components(self, strongest=5, min_entries=None):
        """The components, the one with the largest share first, each with its strongest rows of every mode."""
        request = {'strongest': strongest}
        if min_entries is not None:
            request['minEntries'] = min_entries
        return self._ask('components', request)['components']

    def evaluate(self, entries, clip=True):
        """Errors on entries (a table with the modes and the value, or an array of the model's shape), and baselines."""
        return self._ask('evaluate', {'entries': self._entries(entries), 'clip': clip})

    def fold_in(self, entries, progress=None):
        """A larger model with the new rows of these entries; all other rows stay as they are."""
        return self._learn('fold', entries, progress)

    def update(self, entries, progress=None):
        """A model that has learned from more entries, of new and of known rows."""
        return self._learn('update', entries, progress)

    def save(self, path):
        """Writes the model to a file (.npz), which appears whole or not at all."""
        target = os.path.abspath(os.fspath(path))
        if not target.endswith('.npz'):
            raise LacunaError(f'{path}: a model file must end in .npz.')
        beside = f'{target}.{os.getpid()}.tmp'
        try:
            shutil.copyfile(self.path, beside)
            os.replace(beside, target)
        except OSError as error:
            if os.path.exists(beside):
                os.remove(beside)
            raise LacunaError(f'{path}: the model cannot be written ({error.strerror}).') from None

    def to_dense(self):
        """The prediction of every cell, as an array of the model's shape."""
        with tempfile.TemporaryDirectory(prefix='lacuna-') as folder:
            path = os.path.join(folder, 'completed.npy')
            self._server.run(['convert', self.path, path])
            return np.load(path)

    def to_xarray(self):
        """The prediction of every cell, as an xarray.DataArray with the labels as coordinates."""
        import xarray

        coords = {
            name: _coordinate(labels, mode.get('type'))
            for name, labels, mode in zip(self.modes, self.labels, self._about.get('modes') or [{}] * len(self.shape))
            if labels
        }
        return xarray.DataArray(self.to_dense(), dims=self.modes, coords=coords, name=self.value)

    def to_tensorly(self):
        """The factors as TensorLy's CPTensor. Only of single models of the values themselves: no link, no reshaping."""
        from tensorly.cp_tensor import CPTensor

        factors = self.factors
        if self._members[0].link or self._members[0].reshaping:
            raise LacunaError('The factors of this model are not those of its values (link or reshaping); use to_dense().')
        return CPTensor((np.ones(self._members[0].rank, dtype=np.float32), factors))

    def _rows(self, mode, rows):
        """Ranked rows of a mode with labels of their own type, and predictions as floats."""
        kind = dict(zip(self.modes, self._types)).get(mode)
        return [
            {**row, 'label': _typed(row['label'], kind), **{name: float(row[name]) for name in FLOATS if name in row}}
            for row in rows
        ]

    def _observed(self, of, fixed):
        """Labels of a mode in known entries that have the fixed labels; none if nothing is fixed."""
        found = []
        for columns in self._known:
            if not fixed or of not in columns or any(name not in columns for name in fixed):
                continue
            is_own = np.ones(len(columns[of]), dtype=bool)
            for name, label in fixed.items():
                is_own &= np.array([str(each) == str(label) for each in _tables.labels_of(columns[name])], dtype=bool)
            found += [label for label in _tables.labels_of(np.asarray(columns[of])[is_own]) if label is not None]
        return list(dict.fromkeys(found))

    def _open(self):
        """Opens the model in the process, unless it is open there. Returns its name."""
        if self._opened is None or self._opened[0] != self._server.generation or self._server.pid is None:
            name = f'model {id(self)} {_next_number()}'
            self._server.request('open', {'path': self.path, 'name': name, 'readOnly': True})
            self._opened = (self._server.generation, name)
            weakref.finalize(self, self._server.forget, *self._opened)
        return self._opened[1]

    def _ask(self, operation, request):
        """Asks a question, and once more if the process ends before it answers: questions change nothing."""
        try:
            return self._server.request(operation, request, self._open())
        except LacunaProcessError:
            return self._server.request(operation, request, self._open())

    def _predict(self, queries, request):
        """Predictions of cells, and ends of intervals if they are asked for, as arrays; in several requests if many."""
        cells = self._cells(queries)
        count = max(len(column) for column in cells.values())
        parts = []
        for start in range(0, max(count, 1), ROWS_PER_REQUEST):
            some = {name: column[start : start + ROWS_PER_REQUEST] for name, column in cells.items()}
            parts.append(self._ask('predict', {**request, 'cells': some}))
        return {name: np.concatenate([np.array(part[name], dtype=float) for part in parts]) for name in parts[0]}

    def _cells(self, queries):
        """Queries as columns of labels."""
        if _is_one_cell(queries):
            queries = {name: [label] for name, label in queries.items()}
        if not _tables.is_table(queries):
            indices = np.asarray(queries)
            if indices.ndim != 2 or indices.dtype.kind not in 'iu':
                if indices.size == 0:
                    return {name: [] for name in self.modes}
                raise LacunaError(
                    'Queries must be a table with a column for each mode, or an array (cells × modes) of whole '
                    f'indices from 0, not an array of {indices.ndim} dimensions and type {indices.dtype}.'
                )
            return self._labels_at(indices)
        return self._label_columns(queries)

    def _labels_at(self, indices):
        """Columns of labels by indices from 0 (cells × modes)."""
        if indices.shape[1] != len(self.shape):
            raise LacunaError(f'The indices have {indices.shape[1]} columns, but the model has {len(self.shape)} modes.')
        columns = {}
        for name, labels, size, column in zip(self.modes, self.labels, self.shape, indices.T):
            if column.size > 0 and (column.min() < 0 or column.max() >= size):
                wrong = column.min() if column.min() < 0 else column.max()
                raise LacunaError(f'{name} has the index {wrong}; it must be from 0 to {size - 1}.')
            columns[name] = (np.array(labels, dtype=object)[column] if labels else column + 1).tolist()
        return columns

    def _label_columns(self, table):
        """The columns of a table that modes are made of, as labels; raises if a label is missing."""
        columns = _tables.columns_of(table)
        sources = [mode['from']['column'] for mode in self._about.get('modes') or [] if mode.get('from')]
        labels = {name: _tables.request_labels_of(columns[name]) for name in [*self.modes, *sources] if name in columns}
        if not labels:
            given = ', '.join(columns) or 'no columns'
            raise LacunaError(f'There is no column {self.modes[0]} among {given}; the modes are {", ".join(self.modes)}.')
        for name, own in labels.items():
            if None in own:
                raise LacunaError(f'Row {own.index(None) + 1}: {name} is missing; give a label for each mode.')
        return labels

    def _entries(self, entries):
        """Entries as columns: a table, or the observed cells of an array of the model's shape."""
        if _tables.is_table(entries):
            columns = _tables.drop_missing(_tables.columns_of(entries), self.value)
            if self.value not in columns:
                raise LacunaError(f'There is no column {self.value} among {", ".join(columns)}; it holds the values.')
            return {**self._label_columns(columns), self.value: [float(x) for x in columns[self.value]]}
        if len(entries) == 0:
            raise LacunaError('There are no entries; give at least one.')
        array = np.ma.filled(np.ma.asarray(entries, dtype=float), np.nan)
        if array.ndim != len(self.shape):
            raise LacunaError(f'The array has {array.ndim} dimensions, but the model has {len(self.shape)} modes.')
        indices = np.nonzero(~np.isnan(array))
        columns = {
            name: [labels[i] if labels and i < len(labels) else int(i) + 1 for i in column]
            for name, labels, column in zip(self.modes, self.labels, indices)
        }
        return {**columns, self.value: array[indices].tolist()}

    def _learn(self, command, entries, progress):
        folder = TemporaryFolder()
        table, path = (os.path.join(folder.name, name) for name in ('entries.csv', 'model.npz'))
        _tables.write_csv(table, self._entries(entries))
        arguments = [command, self.path, table, '-o', path, '--value', self.value, '-q']
        if None in self.labels:
            # A mode without labels has numbers of rows, from 1.
            arguments += ['--modes', *(name if own else f'raw:{name}' for name, own in zip(self.modes, self.labels))]
        self._server.run(arguments, progress)
        known = [_tables.columns_of(entries)] if _tables.is_table(entries) else []
        return Model(path, self._server, folder, known=[*self._known, *known])


def load(path, server=None):
    """Opens a model file (.npz)."""
    return Model(path, server)


def _from_bytes(content, report):
    folder = TemporaryFolder()
    path = os.path.join(folder.name, 'model.npz')
    with open(path, 'wb') as file:
        file.write(content)
    return Model(path, None, folder, report)


def _is_one_cell(queries):
    return isinstance(queries, dict) and all(isinstance(x, str) or not hasattr(x, '__len__') for x in queries.values())


def _unknown(unknown):
    if unknown not in ('error', 'nan'):
        raise LacunaError(f"unknown is {unknown!r}; it must be 'error' or 'nan'.")
    return 'null' if unknown == 'nan' else 'error'


def _plain(labels):
    return {name: _tables.request_labels_of([label])[0] for name, label in labels.items()}


def _typed(label, kind):
    """A label by the SQL type of its mode: numbers as int and float, all others as text."""
    try:
        return int(label) if kind == 'BIGINT' else float(label) if kind == 'DOUBLE' else label
    except ValueError:  # a new row may be called by a text
        return label


def _coordinate(labels, kind):
    """Labels as a coordinate of xarray, by the SQL type of their mode."""
    if kind in ('DATE', 'TIMESTAMP'):
        return np.array(labels, dtype='datetime64[ns]')
    if kind in ('BIGINT', 'DOUBLE'):
        return np.array(labels, dtype=np.int64 if kind == 'BIGINT' else float)
    return np.array(labels, dtype=object)


_numbers = iter(range(1, 2**62))


def _next_number():
    return next(_numbers)
