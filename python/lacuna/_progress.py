"""Progress of long work: one line that changes, in terminals and notebooks."""
import shutil
import sys


def is_interactive():
    """Whether somebody watches: stderr is a terminal, or this is a notebook."""
    return _is_notebook() or (hasattr(sys.stderr, 'isatty') and sys.stderr.isatty())


def _is_notebook():
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return type(get_ipython()).__name__ == 'ZMQInteractiveShell'


class ProgressLine:
    """Shows lines of progress in place of each other. progress: True, False, a function, or None for automatic."""

    def __init__(self, progress=None):
        self._shown = 0
        if callable(progress):
            self.update = progress
        elif not (is_interactive() if progress is None else progress):
            self.update = lambda line: None

    def update(self, line):
        """Shows a line in place of the last one."""
        line = ' '.join(line.split())[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write('\r' + line + ' ' * max(0, self._shown - len(line)))
        sys.stderr.flush()
        self._shown = len(line)

    def end(self):
        """Clears the line."""
        if self._shown > 0:
            sys.stderr.write('\r' + ' ' * self._shown + '\r')
            sys.stderr.flush()
            self._shown = 0
