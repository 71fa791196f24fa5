"""The arrays of model files (.npz), read with NumPy: docs/formats.md describes them."""
import json
import os
import shutil
import tempfile
import weakref
import zipfile

import numpy as np

from .errors import LacunaError


class TemporaryFolder:
    """A folder that is removed when it is not used any more, by the process that made it."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix='lacuna-')
        weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder, owner):
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


class Member:
    """One set of factors: a model, or a member of an ensemble."""

    def __init__(self, file, folder, about):
        self._file, self._folder = file, folder
        #: Number of components, R.
        self.rank = about['rank']
        #: The link (name, variance, least, mean); None where factors are of the values themselves.
        self.link = about.get('link')
        #: How modes were merged and split; None where factors are of the modes themselves.
        self.reshaping = about.get('arrangement')

    @property
    def factors(self):
        """The factors, one array (size × R) per mode, or per mode that was merged or split."""
        with zipfile.ZipFile(self._file) as file:
            return _read_factors(file, self._folder)


def _read_factors(file, folder):
    names = set(file.namelist())
    factors = []
    while f'{folder}factor_{len(factors) + 1}.npy' in names:
        number = len(factors) + 1
        factor = read_array(file, f'{folder}factor_{number}').astype(np.float32)
        if f'{folder}factor_scale_{number}.npy' in names:
            factor *= read_array(file, f'{folder}factor_scale_{number}')[:, None]
        factors.append(factor)
    return factors


def read_array(file, name):
    """An array of an open .npz by its name."""
    with file.open(f'{name}.npy') as member:
        return np.lib.format.read_array(member)


def read_about(path):
    """The metadata of a model file, and its members."""
    try:
        with zipfile.ZipFile(path) as file:
            about = json.loads(file.read('metadata.json'))
            count = about.get('members')
            folders = [f'model_{k + 1}/' for k in range(count)] if count else ['']
            abouts = [json.loads(file.read(f'{folder}metadata.json')) for folder in folders]
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise LacunaError(f'{path}: this is no model file, or it is damaged ({error}).') from None
    return about, [Member(path, folder, own) for folder, own in zip(folders, abouts)]
