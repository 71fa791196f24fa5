"""`lacuna.complete`: learns a model from the entries of a table or an array."""
import json
import os
import tempfile

from . import _tables
from ._command import options_to_arguments
from ._files import TemporaryFolder
from ._server import shared_server
from .errors import LacunaError
from .model import Model


def complete(data, modes=None, value=None, *, rank=None, folds=None, best=False, seconds=None, output=None,
             progress=None, server=None, **options):
    """Learns a nonnegative CP model from the observed entries; returns a Model.

    data: a DataFrame (pandas, polars), dict of columns or list of dicts, with a row per entry; an array of two or
    more dimensions, in which NaN and masked elements are missing; an xarray.DataArray, whose coordinates become
    labels; or the path of a file that the lacuna command reads.
    modes: of a table, the column of each mode, or a binning such as 'week(seen)'; of an array, names of its dimensions.
    value: of a table, the column of the values; without it rows are counted.
    rank, folds, best, seconds: as --rank, --folds, --best and --seconds of `lacuna complete`; so are all further
    options, as in lags={'hour': [1, 24]}, missing='zero' or seed=7.
    output: where to save the model; by default it is kept as long as it is used.
    progress: True, False or a function that is called with lines; by default shown in terminals and notebooks.
    """
    server = server or shared_server()
    if rank is not None and not isinstance(rank, str):
        rank = int(rank)
    with tempfile.TemporaryDirectory(prefix='lacuna-') as inputs:
        path, arguments = _write(data, modes, value, options.get('weight'), os.path.join(inputs, 'data'))
        folder = None
        if output is None:
            folder = TemporaryFolder()
            target = os.path.join(folder.name, 'model.npz')
            options = {'checkpoint_every': 0, **options}
        else:
            target = os.path.abspath(os.fspath(output))
        more = {'rank': rank, 'folds': folds, 'best': best or None, 'seconds': seconds, **options}
        text = server.run(
            ['complete', path, *arguments, *options_to_arguments(more), '-o', target, '--json'], progress
        )
    report = json.loads(text)
    report.pop('epochs', None)
    known = [_tables.drop_missing(_tables.columns_of(data), value)] if _tables.is_table(data) else []
    return Model(target, server, folder, report, known)


def _write(data, modes, value, weight, path):
    """Writes data as a file that the command reads; returns its path and the arguments about it."""
    if isinstance(modes, str):
        raise LacunaError(f'modes is the text {modes!r}; give a list of names.')
    modes = None if modes is None else [str(name) for name in modes]
    value = None if value is None else str(value)
    if isinstance(data, (str, os.PathLike)):
        return os.path.abspath(os.fspath(data)), options_to_arguments({'modes': modes, 'value': value})
    if hasattr(data, 'dims') and hasattr(data, 'coords'):
        names, labels, types = _tables.coordinates_of(data)
        return _tables.write_array(path, data.values, names, labels, types, value or data.name), []
    if not _tables.is_table(data):
        return _tables.write_array(path, data, modes, value=value), []
    columns = _tables.columns_of(data)
    if not columns or len(next(iter(columns.values()))) == 0:
        raise LacunaError('The table has no rows; give at least one entry.')
    # Only the columns that are used are written, unless a mode or the value is an expression of columns.
    used = [*(modes or []), *([value] if value is not None else []), *([weight] if weight is not None else [])]
    if modes is not None and all(name in columns for name in used):
        columns = {name: columns[name] for name in dict.fromkeys(used)}
    if value is not None:
        columns = _tables.drop_missing(columns, value)
    _tables.write_csv(path + '.csv', columns)
    return path + '.csv', options_to_arguments({'modes': modes, 'value': value})
