"""Every example of python/README.md and docs/python.md runs as it is printed."""
import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

from .data import ratings

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Examples(unittest.TestCase):
    def test_examples_run(self):
        for page, least in ((ROOT / 'README.md', 1), (ROOT.parent / 'docs' / 'python.md', 4)):
            examples = re.findall(r'```python\n(.*?)```', page.read_text('utf-8'), re.DOTALL)
            self.assertGreaterEqual(len(examples), least)
            before = os.getcwd()
            output = io.StringIO()
            with self.subTest(page.name), tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(output):
                os.chdir(folder)
                try:
                    ratings().to_csv('ratings.csv', index=False)
                    names = {}
                    for example in examples:
                        exec(compile(example, page.name, 'exec'), names)
                    self.assertTrue(os.path.exists('model.npz'))
                    self.assertRegex(output.getvalue(), r'(?m)^[1-5]\.\d+$')
                finally:
                    os.chdir(before)
