"""A build backend (PEP 517) for a package of Python files alone: wheels and source archives, without downloads."""
import base64
import hashlib
import io
import pathlib
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = 'lacuna'


def _project():
    """Name, version and metadata of pyproject.toml, which is read line by line: tomllib is new in Python 3.11."""
    fields = {}
    for line in (ROOT / 'pyproject.toml').read_text('utf-8').splitlines():
        key, _, value = line.partition(' = ')
        if value:
            fields.setdefault(key, value.strip())
    name, version, summary = (fields[key].strip('"') for key in ('name', 'version', 'description'))
    metadata = [
        'Metadata-Version: 2.1',
        f'Name: {name}',
        f'Version: {version}',
        f'Summary: {summary}',
        'License: MIT',
        f'Requires-Python: {fields["requires-python"].strip(chr(34))}',
        *(f'Requires-Dist: {each}' for each in fields['dependencies'].strip('[]').replace('"', '').split(', ')),
        'Description-Content-Type: text/markdown',
    ]
    return name, version, '\n'.join(metadata) + '\n\n' + (ROOT / 'README.md').read_text('utf-8')


def _write_wheel(directory, files):
    name, version, metadata = _project()
    info = f'{name}-{version}.dist-info'
    wheel = 'Wheel-Version: 1.0\nGenerator: lacuna\nRoot-Is-Purelib: true\nTag: py3-none-any\n'
    files = {**files, f'{info}/METADATA': metadata.encode(), f'{info}/WHEEL': wheel.encode()}
    record = ''.join(f'{path},sha256={_digest(content)},{len(content)}\n' for path, content in files.items())
    files[f'{info}/RECORD'] = f'{record}{info}/RECORD,,\n'.encode()
    file_name = f'{name}-{version}-py3-none-any.whl'
    with zipfile.ZipFile(pathlib.Path(directory) / file_name, 'w', zipfile.ZIP_DEFLATED) as file:
        for path, content in files.items():
            file.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return file_name


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()


def _sources():
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted((ROOT / PACKAGE).rglob('*.py'))}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel."""
    return _write_wheel(wheel_directory, _sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel that points to this folder (pip install --editable)."""
    return _write_wheel(wheel_directory, {f'{PACKAGE}.pth': f'{ROOT}\n'.encode()})


def build_sdist(sdist_directory, config_settings=None):
    """Builds the source archive."""
    name, version, metadata = _project()
    base = f'{name}-{version}'
    own = ['pyproject.toml', 'README.md', 'build_backend/backend.py']
    files = {**{path: (ROOT / path).read_bytes() for path in own}, **_sources(), 'PKG-INFO': metadata.encode()}
    with tarfile.open(pathlib.Path(sdist_directory) / f'{base}.tar.gz', 'w:gz') as archive:
        for path, content in files.items():
            info = tarfile.TarInfo(f'{base}/{path}')
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return f'{base}.tar.gz'
