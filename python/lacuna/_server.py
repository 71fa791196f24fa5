"""A long-lived `lacuna serve --stdio`: requests are lines of JSON on its stdin, answers lines on its stdout."""
import atexit
import collections
import json
import os
import signal
import subprocess
import threading
import warnings
import weakref

from ._command import find_command
from ._progress import ProgressLine
from .errors import LacunaError, LacunaProcessError, LacunaWarning

#: Version of the protocol that this package speaks.
PROTOCOL = 1
#: Seconds that the process has to end after its stdin was closed, and after a signal.
CLOSING_SECONDS = 20


class Server:
    """A lacuna process, started at the first request and again after it has ended.

    command: the lacuna command, as a path, a list of words or a line of a shell; by default the variable LACUNA, or
    lacuna on the PATH. Used as a context manager it ends the process at the end; all processes end with Python.
    """

    def __init__(self, command=None):
        self._command = command
        self._lock = threading.RLock()
        self._process = None
        self._owner = None
        self._last_id = 0
        #: Counts the processes, so that models know whether theirs is still the current one.
        self.generation = 0
        self._unused = collections.deque()
        self._stderr = collections.deque(maxlen=20)
        _servers.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def pid(self):
        """The number of the process; None if there is none."""
        return self._process.pid if self._is_running() else None

    def request(self, operation, request=None, model=None, progress=None):
        """Sends a request and returns its answer. Raises a LacunaError with the sentence of an error."""
        with self._lock:
            self._start()
            while self._unused:
                generation, name = self._unused.popleft()
                if generation == self.generation:
                    self._exchange('close', {}, name, None)
            line = ProgressLine(progress)
            try:
                return self._exchange(operation, request or {}, model, line)
            except KeyboardInterrupt:
                self._interrupt()
                raise
            finally:
                line.end()

    def run(self, arguments, progress=None):
        """Runs a command such as ['complete', 'data.npz', '-o', 'model.npz']; returns what it printed."""
        return self.request('command', {'args': list(arguments)}, progress=progress)['output']

    def forget(self, generation, name):
        """Marks a model as not used any more; it is closed before the next request."""
        self._unused.append((generation, name))

    def close(self):
        """Ends the process."""
        with self._lock:
            process, self._process = self._process, None
            if process is None or self._owner != os.getpid():
                return
            try:
                process.stdin.close()
            except OSError:
                pass
            _end(process)
            process.stdout.close()

    def _is_running(self):
        # A process that a fork has inherited is that of the parent.
        return self._process is not None and self._owner == os.getpid() and self._process.poll() is None

    def _start(self):
        if self._is_running():
            return
        if self._owner == os.getpid():
            self.close()
        words = [*find_command(self._command), 'serve', '--stdio', '--quiet']
        # In a session of its own, so that Ctrl-C reaches Python alone, which then ends the work in order.
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        self._stderr.clear()
        threading.Thread(target=_drain, args=(process.stderr, self._stderr), daemon=True).start()
        self._process, self._owner = process, os.getpid()
        self.generation += 1
        try:
            self._check_version(process.stdout.readline(), ' '.join(words[:-3]))
        except BaseException:
            self.close()
            raise

    def _check_version(self, line, command):
        from . import __version__

        try:
            ready = json.loads(line)['ready']
            protocol, version = ready['protocol'], ready['version']
        except (ValueError, TypeError, KeyError):
            reason = self._last_words() if line == b'' else line.decode('utf-8', 'replace').strip()[:200]
            raise LacunaProcessError(
                f'{command} does not answer as lacuna {__version__} does; install the command of the same version as '
                f'this package. It printed: {reason or "nothing"}'
            ) from None
        if protocol != PROTOCOL:
            raise LacunaProcessError(
                f'{command} is lacuna {version}, which speaks protocol {protocol}, but this package ({__version__}) '
                f'speaks {PROTOCOL}; install both in the same version.'
            )

    def _exchange(self, operation, request, model, progress):
        self._last_id += 1
        message = {'id': self._last_id, 'operation': operation, 'request': request}
        if model is not None:
            message['model'] = model
        try:
            self._process.stdin.write(json.dumps(message, allow_nan=False).encode() + b'\n')
            self._process.stdin.flush()
            while True:
                line = self._process.stdout.readline()
                if not line.endswith(b'\n'):
                    raise BrokenPipeError
                answer = json.loads(line)
                # A line that is too long is refused without its id.
                if 'error' in answer and answer.get('id', self._last_id) == self._last_id:
                    raise LacunaError(answer['error'])
                if answer.get('id') != self._last_id:
                    raise BrokenPipeError
                if 'answer' in answer:
                    return answer['answer']
                if 'progress' in answer and progress is not None:
                    progress.update(answer['progress'])
                if 'warning' in answer:
                    warnings.warn(answer['warning'], LacunaWarning, stacklevel=6)
        except (BrokenPipeError, json.JSONDecodeError):
            raise self._ended() from None

    def _ended(self):
        """The error of a process that has ended, or does not keep to the protocol."""
        process = self._process
        self.close()
        return LacunaProcessError(
            f'The lacuna process has ended with code {process.returncode} before it answered; the next request starts '
            f'another one. {self._last_words()}'.strip()
        )

    def _last_words(self):
        return ' '.join(line.strip() for line in list(self._stderr)[-3:])[-500:]

    def _interrupt(self):
        """Ends the work of the process as Ctrl-C does, and the process with it."""
        if self._is_running():
            self._process.send_signal(signal.SIGINT)
        self.close()


def _end(process):
    """Waits for the end of a process, and ends it by signals if that takes long."""
    try:
        for stop in (None, process.terminate, process.kill):
            if stop is not None:
                stop()
            try:
                process.wait(CLOSING_SECONDS)
                return
            except subprocess.TimeoutExpired:
                continue
    except KeyboardInterrupt:  # a second Ctrl-C
        process.kill()
        process.wait()
        raise


def _drain(stream, lines):
    """Keeps the last lines of stderr, so that the process never waits for a reader."""
    with stream:
        for line in stream:
            lines.append(line.decode('utf-8', 'replace'))


_servers = weakref.WeakSet()
_shared = {}


def shared_server(command=None):
    """The server that all models share which were given no other one."""
    key = command if command is None or isinstance(command, str) else tuple(map(str, command))
    if key not in _shared:
        _shared[key] = Server(command)
    return _shared[key]


@atexit.register
def shutdown():
    """Ends all lacuna processes of this package; the next request starts one again."""
    for server in list(_servers):
        server.close()
