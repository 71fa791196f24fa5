"""Parts that need no process: progress, options, versions."""
import contextlib
import io
import json
import pathlib
import re
import unittest

import numpy as np

import lacuna
from lacuna._command import options_to_arguments
from lacuna._progress import ProgressLine
from lacuna._tables import columns_of, request_labels_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self):
        return True


class Small(unittest.TestCase):
    def show(self, stream, progress=None):
        with contextlib.redirect_stderr(stream):
            line = ProgressLine(progress)
            line.update('epoch 10 of a long line')
            line.update('epoch 11')
            line.end()
        return stream.getvalue()

    def test_progress_is_one_line_in_terminals_and_nothing_elsewhere(self):
        shown = self.show(Terminal())
        self.assertEqual(shown.count('\r'), 4)
        self.assertNotIn('\n', shown)
        self.assertRegex(shown, r'\repoch 11 {15}\r')
        self.assertTrue(shown.endswith('\r'))
        self.assertEqual(self.show(io.StringIO()), '')
        self.assertEqual(self.show(Terminal(), progress=False), '')
        self.assertIn('epoch 11', self.show(io.StringIO(), progress=True))
        lines = []
        self.show(Terminal(), progress=lines.append)
        self.assertEqual(lines, ['epoch 10 of a long line', 'epoch 11'])

    def test_options_are_those_of_the_command(self):
        options = {'min_entries': 3, 'choose': False, 'resume': False, 'best': True, 'seed': None}
        self.assertEqual(options_to_arguments(options), ['--min-entries', '3', '--no-choose', '--best'])
        lags = options_to_arguments({'lags': {'hour': [1, 24], 'day': 7}})
        self.assertEqual(lags, ['--lags', 'hour=1,24', '--lags', 'day=7'])
        self.assertEqual(options_to_arguments({'ordered': ['hour:24', 'day']}), ['--ordered', 'hour:24', 'day'])
        self.assertEqual(options_to_arguments({'lambda_': 0.5}), ['--lambda', '0.5'])

    def test_ids_above_2_to_the_53_are_texts_in_requests(self):
        ids = [2**53 - 1, 2**53 + 1, -(2**60), 'a', 1.5, None]
        self.assertEqual(request_labels_of(ids), [2**53 - 1, str(2**53 + 1), str(-(2**60)), 'a', 1.5, None])
        self.assertEqual(request_labels_of(np.array([7, 2**60])), [7, str(2**60)])

    def test_columns_of_one_name_are_refused(self):
        class Table:
            columns = ['a', 'b', 'a']

        with self.assertRaisesRegex(lacuna.LacunaError, 'There are 2 columns called a; rename or drop all but one.'):
            columns_of(Table())

    def test_all_parts_have_one_version(self):
        project = (ROOT / 'python/pyproject.toml').read_text('utf-8')
        self.assertEqual(re.search(r'version = "(.*)"', project)[1], lacuna.__version__)
        package = json.loads((ROOT / 'packages/cli/package.json').read_text('utf-8'))
        self.assertEqual(package['version'], lacuna.__version__)
