"""Finds the lacuna command, and writes options as its arguments."""
import os
import shlex
import shutil

from .errors import LacunaError, LacunaProcessError


def find_command(command=None):
    """The command as a list of words: the one given, that of the variable LACUNA, or lacuna on the PATH."""
    given = command if command is not None else os.environ.get('LACUNA')
    if given is None or given == '':
        found = shutil.which('lacuna')
        if found is None:
            raise LacunaProcessError(
                "There is no command lacuna on the PATH; set the variable LACUNA to it, as in a clone that is built: "
                "LACUNA='node packages/cli/dist/lacuna.js'; or install it from there by npm pack ./packages/cli "
                'and npm install --global ./lacuna-cli-1.0.0.tgz.'
            )
        return [found]
    if isinstance(given, (list, tuple)):
        return [os.fspath(word) for word in given]
    text = os.fspath(given)
    # A path may contain blanks; words that are no path are those of a shell.
    words = [text] if os.path.exists(text) else shlex.split(text)
    if words[0].endswith('.js'):
        words = ['node', *words]
    if shutil.which(words[0]) is None:
        raise LacunaProcessError(f'There is no command {words[0]}; install it, or set the variable LACUNA to lacuna.')
    return words


#: Options that the command has with --no-, too.
NEGATABLE = {'choose', 'clip'}


def options_to_arguments(options):
    """Options of Python as those of the command: min_entries=3 is --min-entries 3, choose=False is --no-choose."""
    arguments = []
    for name, value in options.items():
        flag = '--' + name.rstrip('_').replace('_', '-')
        if value is None:
            continue
        if isinstance(value, bool):
            if value or name in NEGATABLE:
                arguments.append(flag if value else '--no-' + flag[2:])
        elif isinstance(value, dict):
            for key, item in value.items():
                arguments += [flag, f'{key}={_text(item)}']
        elif isinstance(value, (list, tuple)):
            arguments += [flag, *(_word(item, name) for item in value)]
        else:
            arguments += [flag, _word(value, name)]
    return arguments


def _word(value, name):
    """A value as one argument, which must not look like an option."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if text.startswith('-') and not isinstance(value, (int, float)):
        raise LacunaError(f'{name} is {text!r}; a value cannot begin with a hyphen, so rename the column or the file.')
    return text


def _text(value):
    """A value of a dictionary of options: lists are separated by commas."""
    return ','.join(str(item) for item in value) if isinstance(value, (list, tuple)) else str(value)
