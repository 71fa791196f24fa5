"""The accuracy on Hangzhou metro counts: RMSE on held-out cells with 30, 70 and 90% missing at random.

Usage: metro.py hangzhou.npy [RANK [FOLDER]], after `lacuna data fetch hangzhou-metro`. Draws the masks of transdim's notebooks
(NumPy's generator with seed 1000), on which the published figures were measured, writes each split as .tns files, and
runs `lacuna complete` with the rank alone set (64 by default). Prints a line per fraction. With a folder it keeps the files
there: RM30.train.tns.gz and so on.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

CLI = os.path.join(os.path.dirname(__file__), '../../packages/cli/dist/lacuna.js')
#: The smallest RMSE that transdim publishes for these splits: of LRTC-TNN, and twice of LATC, the best of 20 settings.
PUBLISHED = {0.3: 24.95, 0.7: 28.25, 0.9: 34.44}


def write(path, tensor, mask):
    """Writes the cells of a mask as lines of one-based indices and a value."""
    index = np.argwhere(mask)
    np.savetxt(path, np.column_stack([index + 1, tensor[mask]]), fmt=['%d'] * 3 + ['%g'])


tensor = np.nan_to_num(np.load(sys.argv[1]).astype(float))
rank = sys.argv[2] if len(sys.argv) > 2 else '64'
# The stations × days × slots of the published file as stations × slots × days.
if tensor.shape == (80, 25, 108):
    tensor = tensor.transpose(0, 2, 1)
for missing, published in PUBLISHED.items():
    np.random.seed(1000)
    given = np.round(np.random.rand(*tensor.shape) + 0.5 - missing).astype(bool)
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[3] if len(sys.argv) > 3 else temporary
        train, test = (os.path.join(folder, f'RM{missing * 100:.0f}.{part}.tns.gz') for part in ('train', 'test'))
        write(train, tensor, given & (tensor > 0))
        write(test, tensor, ~given & (tensor > 0))
        command = ['node', CLI, 'complete', train, '--test', test, '--rank', rank, '--json']
        command += ['--dims', 'x'.join(map(str, tensor.shape))]
        report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    print(f'{missing:.0%} missing: RMSE {report["test"]["rmse"]:.1f} at rank {rank}, published {published}', flush=True)
