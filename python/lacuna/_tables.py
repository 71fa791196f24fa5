"""Tables and arrays: reads what callers give, and writes the files that the lacuna command reads."""
import json
import zipfile

import numpy as np

from .errors import LacunaError


def is_table(data):
    """Whether data has named columns: a DataFrame, a dict, or a list of dicts."""
    if isinstance(data, dict) or hasattr(data, 'columns'):
        return True
    return isinstance(data, (list, tuple)) and len(data) > 0 and isinstance(data[0], dict)


def columns_of(data):
    """A table as a dict of columns: NumPy arrays, or lists where there is no array of them."""
    if isinstance(data, (list, tuple)):
        names = list(dict.fromkeys(name for row in data for name in row))
        return {name: [row.get(name) for row in data] for name in names}
    names = list(data.keys()) if isinstance(data, dict) else list(data.columns)
    for name in names:
        if names.count(name) > 1:
            raise LacunaError(f'There are {names.count(name)} columns called {name}; rename or drop all but one.')
    columns = {str(name): _column(data[name]) for name in names}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise LacunaError(f'The columns differ in length: {lengths}.')
    return columns


def _column(values):
    if hasattr(values, 'to_numpy'):
        return values.to_numpy()
    return values if isinstance(values, np.ndarray) else list(values)


def labels_of(column):
    """The labels of a column as JSON holds them: numbers, booleans and texts; None where a label is missing."""
    values = np.asarray(column) if not isinstance(column, np.ndarray) else column
    if values.dtype.kind == 'M':
        return times_of(values)
    if values.dtype.kind in 'iub':
        return values.tolist()
    if values.dtype.kind == 'f':
        return [None if x != x else x for x in values.tolist()]
    items = column.tolist() if isinstance(column, np.ndarray) else column
    return [_label(item) for item in items]


def request_labels_of(column):
    """The labels of a column for a request: integers above 2**53 as texts, since the command reads them as doubles."""
    return [
        str(label) if isinstance(label, int) and not -2**53 < label < 2**53 else label for label in labels_of(column)
    ]


def _label(item):
    if item is None or isinstance(item, (str, bool, int)):
        return item
    if isinstance(item, (float, np.floating)):
        return None if item != item else float(item)
    if isinstance(item, (np.integer, np.bool_)):
        return item.item()
    if type(item).__name__ in ('NAType', 'NaTType'):  # of pandas
        return None
    return item.isoformat() if hasattr(item, 'isoformat') else str(item)


def times_of(values):
    """Times as texts of ISO 8601: dates where all are at midnight; None where a time is missing."""
    isnat = np.isnat(values)
    known = values[~isnat]
    is_date = bool(np.all(known == known.astype('datetime64[D]')))
    texts = np.datetime_as_string(values.astype('datetime64[D]' if is_date else 'datetime64[us]'))
    return [None if missing else str(text) for text, missing in zip(texts, isnat)]


def write_csv(path, columns):
    """Writes columns as CSV: texts quoted, numbers not, so that their types are read back; missing cells are empty."""
    if all(name.replace('.', '', 1).isdigit() for name in columns):
        raise LacunaError(f'The columns are called {", ".join(columns)}; give them names that are no numbers.')
    fields = [_fields(column) for column in columns.values()]
    with open(path, 'w', encoding='utf-8', newline='') as file:
        file.write(','.join(map(_quote, columns)) + '\n')
        file.writelines(','.join(row) + '\n' for row in zip(*fields))


def _fields(column):
    if isinstance(column, np.ndarray) and column.dtype.kind in 'iu':
        return map(str, column.tolist())
    return (
        '' if item is None else _quote(item) if isinstance(item, str) else str(item) for item in labels_of(column)
    )


def _quote(text):
    return '"' + text.replace('"', '""') + '"'


def drop_missing(columns, value):
    """Columns without the rows whose value is missing."""
    if value not in columns:
        return columns
    is_known = np.array([item is not None for item in labels_of(columns[value])], dtype=bool)
    if is_known.all():
        return columns
    return {name: np.asarray(column, dtype=_dtype(column))[is_known] for name, column in columns.items()}


def _dtype(column):
    return column.dtype if isinstance(column, np.ndarray) else object


def write_array(path, array, modes=None, labels=None, types=None, value=None):
    """Writes an array, in which NaN and masked elements are missing: as .npy, or with names as COO in .npz.

    path: without an ending. Returns the whole path."""
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(np.ma.getdata(array))
    if values.dtype.kind not in 'fiub':
        raise LacunaError(f'The array has the type {values.dtype}; it must contain real numbers.')
    if values.ndim < 2:
        raise LacunaError(f'The array has {values.ndim} dimension(s); it needs at least 2.')
    if modes is None and labels is None:
        if mask is not None:
            values = np.where(mask, np.nan, values)
        np.save(path + '.npy', values)
        return path + '.npy'
    if modes is not None and len(modes) != values.ndim:
        raise LacunaError(f'There are {len(modes)} modes for an array of {values.ndim} dimensions; give as many names.')
    is_observed = ~np.isnan(values) if values.dtype.kind == 'f' else np.ones(values.shape, dtype=bool)
    if mask is not None:
        is_observed &= ~mask
    names = list(modes) if modes is not None else [f'mode_{i + 1}' for i in range(values.ndim)]
    kinds = types or [None] * len(names)
    about = {
        'format': 'lacuna-tensor',
        'version': 1,
        'dims': list(values.shape),
        'labels': labels or [None] * len(names),
        'modes': [{'name': str(name), **({'type': kind} if kind else {})} for name, kind in zip(names, kinds)],
        **({'value': str(value)} if value is not None else {}),
    }
    coords = np.array(np.nonzero(is_observed), dtype=np.uint32)
    data = values[is_observed].astype(np.float32)
    shape = np.array(values.shape, dtype=np.int64)
    with zipfile.ZipFile(path + '.npz', 'w') as file:
        for name, content in [('coords', coords), ('data', data), ('shape', shape), ('fill_value', np.float32('nan'))]:
            with file.open(f'{name}.npy', 'w', force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(content))
        file.writestr('metadata.json', json.dumps(about))
    return path + '.npz'


def coordinates_of(data):
    """Names, labels and SQL types of the dimensions of an xarray.DataArray; labels are None where there are none."""
    labels, types = [], []
    for name in data.dims:
        own, kind = None, None
        if name in data.coords and data.coords[name].ndim == 1:
            values = np.asarray(data.coords[name].values)
            own = [None if label is None else _text(label) for label in labels_of(values)]
            if None in own or len(set(own)) < len(own):
                own = None
            else:
                kind = _sql_type(values, own)
        labels.append(own)
        types.append(kind)
    return [str(name) for name in data.dims], labels, types


def _text(label):
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return label if isinstance(label, str) else str(label)


def _sql_type(values, labels):
    kind = values.dtype.kind
    if kind == 'M':
        return 'DATE' if all(len(label) == 10 for label in labels) else 'TIMESTAMP'
    return {'i': 'BIGINT', 'u': 'BIGINT', 'f': 'DOUBLE'}.get(kind, 'VARCHAR')
