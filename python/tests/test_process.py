"""The process behind the package: how it is found, ends, and is replaced."""
import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import lacuna
import numpy as np

from .data import outer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


#: Arguments of `complete` for work that ends only when it is ended.
LONG = (np.random.default_rng(1).random((200, 100)),), {'rank': 20, 'epochs': 10**6, 'tolerance': 0, 'prior': 'isotropic'}


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f'/proc/{pid}/stat') as file:
        return file.read().rsplit(')', 1)[1].split()[0] != 'Z'


def wait_until_ended(pid):
    """Waits for the end of a process, as long as it takes on a busy machine."""
    deadline = time.monotonic() + 300
    while is_running(pid):
        if time.monotonic() > deadline:
            raise AssertionError(f'the process {pid} has not ended')
        time.sleep(0.02)


class Process(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, text):
        """An executable Python program in place of lacuna."""
        path = os.path.join(self.folder.name, 'other program')
        with open(path, 'w') as file:
            file.write(f'#!{sys.executable}\n{textwrap.dedent(text)}')
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_commands_that_are_missing_or_others(self):
        for message, command in {
            'There is no command no-such-lacuna': 'no-such-lacuna',
            'does not answer as lacuna .* does; install .* It printed: nothing': 'true',
            'It printed: serve --stdio': 'echo',
            'which speaks protocol 2, but this package .* speaks 1': self.program(
                """
                import sys
                print('{"ready": {"version": "9.0.0", "protocol": 2, "models": []}}', flush=True)
                sys.stdin.read()
                """
            ),
        }.items():
            with self.subTest(message), lacuna.Server(command) as server:
                with self.assertRaisesRegex(lacuna.LacunaProcessError, message):
                    lacuna.load('model.npz', server)
                self.assertIsNone(server.pid)
        before = os.environ.pop('LACUNA'), os.environ['PATH']
        try:
            os.environ['PATH'] = self.folder.name
            with self.assertRaisesRegex(lacuna.LacunaProcessError, 'no command lacuna on the PATH; set the variable LACUNA'):
                lacuna.Server().run(['--version'])
        finally:
            os.environ['LACUNA'], os.environ['PATH'] = before

    def test_answers_that_are_no_answers_end_the_process(self):
        garbage = self.program(
            """
            import sys
            print('{"ready": {"version": "0.1.0", "protocol": 1, "models": []}}', flush=True)
            sys.stdin.readline()
            print('garbage', flush=True)
            sys.stdin.read()
            """
        )
        with lacuna.Server(garbage) as server:
            with self.assertRaisesRegex(lacuna.LacunaProcessError, 'has ended with code .* before it answered'):
                server.run(['info'])
            self.assertIsNone(server.pid)

    def test_a_killed_process_is_an_error_and_the_next_request_starts_another(self):
        with lacuna.Server() as server:
            model = lacuna.complete(outer()[1], rank=2, server=server)
            first, expected = server.pid, model.predict([[0, 0]])
            with self.assertRaisesRegex(lacuna.LacunaProcessError, 'has ended with code -9 .* starts another one'):
                lacuna.complete(*LONG[0], **LONG[1], server=server, progress=lambda _: os.kill(first, signal.SIGKILL))
            np.testing.assert_array_equal(model.predict([[0, 0]]), expected)
            second = server.pid
            os.kill(second, signal.SIGKILL)
            wait_until_ended(second)
            np.testing.assert_array_equal(model.predict([[0, 0]]), expected)
            last = server.pid
            self.assertNotEqual(last, first)
        self.assertFalse(is_running(last))
        np.testing.assert_array_equal(model.predict([[0, 0]]), expected)  # it is started again
        server.close()

    def test_models_that_are_not_used_any_more_are_closed(self):
        with lacuna.Server() as server:
            model = lacuna.complete(outer()[1], rank=2, server=server)
            larger = model.fold_in({'mode_1': [21], 'mode_2': [1], 'value': [3.0]})
            self.assertEqual(larger.shape, (21, 10))
            self.assertEqual(len(server.request('models')['models']), 2)
            del model, larger
            self.assertEqual(server.request('models')['models'], [])

    def test_requests_that_are_too_large_or_wrong_leave_the_process_running(self):
        words = os.environ['LACUNA']
        limited = self.program(
            f"""
            import os, shlex, sys
            words = shlex.split({words!r})
            words = ['node', *words] if words[0].endswith('.js') else words
            os.execvp(words[0], [*words, *sys.argv[1:], '--max-body', '2000', '--max-rows', '50'])
            """
        )
        with lacuna.Server(limited) as server:
            model = lacuna.complete(outer()[1], rank=2, server=server)
            first = server.pid
            with self.assertRaisesRegex(lacuna.LacunaError, 'more than the 2000 bytes'):
                model.predict(np.zeros((1000, 2), dtype=int))
            with self.assertRaisesRegex(lacuna.LacunaError, 'cells has 51 rows, more than the 50'):
                model.predict(np.zeros((51, 2), dtype=int))
            with self.assertRaisesRegex(lacuna.LacunaError, 'There is no operation "drop"'):
                server.request('drop')
            self.assertEqual(model.predict([[0, 0]]).shape, (1,))
            self.assertEqual(server.pid, first)

    def start_long_work(self):
        """A Python process that learns for a long time; returns it and the number of its lacuna process."""
        program = """
            import sys, lacuna
            server = lacuna.Server()
            server.run(['--version'])
            def show(line):
                print('working', server.pid, flush=True)
            try:
                from tests.test_process import LONG
                lacuna.complete(*LONG[0], **LONG[1], progress=show, server=server, output=sys.argv[1])
            except KeyboardInterrupt:
                print('interrupted', server.pid, flush=True)
            """
        process = subprocess.Popen(
            [sys.executable, '-c', textwrap.dedent(program), os.path.join(self.folder.name, 'long.npz')],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, 'TMPDIR': self.folder.name},  # what a kill leaves behind is removed with the folder
        )
        words = process.stdout.readline().split()
        self.assertEqual(words[0], 'working')
        return process, int(words[1])

    def test_ctrl_c_raises_keyboard_interrupt_and_ends_the_work(self):
        process, pid = self.start_long_work()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        self.assertIn('interrupted None', output)
        self.assertEqual(process.returncode, 0)
        self.assertFalse(is_running(pid))
        self.assertIn('long.npz.run', os.listdir(self.folder.name))  # the checkpoint from which resume=True goes on

    def test_kill_9_of_python_ends_the_process_and_its_work(self):
        process, pid = self.start_long_work()
        process.kill()
        process.communicate()
        wait_until_ended(pid)
