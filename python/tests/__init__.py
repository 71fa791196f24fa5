"""Tests of the package, with the command that is built in this repository unless LACUNA names another one."""
import os
import pathlib

os.environ.setdefault('LACUNA', str(pathlib.Path(__file__).resolve().parents[2] / 'packages/cli/dist/lacuna.js'))
