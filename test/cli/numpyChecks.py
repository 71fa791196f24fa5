"""Recomputes in NumPy what the command line answered, from the arrays of its model files: a line of JSON with
folders comes in, a line with the number of checks and the failures goes out."""
import csv, io, itertools, json, sys, zipfile
import numpy as np

checks, failures = 0, []


def check(name, found, expected, tolerance=2e-6):
    """Counts a comparison of numbers; the tolerance is relative to the largest of them."""
    global checks
    checks += 1
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    size = max(1e-30, float(np.max(np.abs(expected), initial=0)))
    if found.shape != expected.shape or not np.all(np.abs(found - expected) <= tolerance * size):
        failures.append(f'{name}: {found.ravel()[:4]} instead of {expected.ravel()[:4]}')


def table(path, modes, labels):
    """The cells, as indices by label, and the values of a table; unknown labels have the index -1."""
    with open(path, newline='') as file:
        rows = list(csv.DictReader(file))
    cells = np.array([[labels[m].index(row[c]) if row[c] in labels[m] else -1 for m, c in enumerate(modes)] for row in rows])
    return cells, np.array([np.float32(row['value']) for row in rows], float), rows


class Model:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.meta = json.loads(self.zip.read('metadata.json'))
        self.modes = range(len(self.meta['dims']))
        members = self.meta.get('members')
        folders = [f'model_{k + 1}/' for k in range(members)] if members else ['']
        self.members = [[self.array(f'{folder}factor_{m + 1}') for m in self.modes] for folder in folders]
        self.factors = self.members[0]
        self.links = [json.loads(self.zip.read(f'{folder}metadata.json')).get('link') for folder in folders]

    def array(self, name):
        return np.load(io.BytesIO(self.zip.read(f'{name}.npy')))

    def predict(self, cells, clip=True):
        y = np.mean([in_data_units(link, np.prod([f[cells[:, m]].astype(float) for m, f in enumerate(factors)], axis=0).sum(axis=1))
                     for factors, link in zip(self.members, self.links)], axis=0)
        neighbours = self.meta.get('neighbours')
        if neighbours:
            y = np.array([self.correct(tuple(map(int, cell)), float(x), neighbours) for cell, x in zip(cells, y)])
        seen = self.meta['observed']
        return np.clip(y, seen['min'], seen['max']) if clip else y

    def correct(self, cell, y, neighbours):
        """The correction by neighbours: a weighted sum of residuals at lags, along modes, and in a window."""
        if not hasattr(self, 'residuals'):
            columns = [self.array(f'residual_index_{m + 1}') for m in self.modes]
            self.residuals = dict(zip(zip(*(map(int, c) for c in columns)), map(float, self.array('residuals'))))
        shifted = lambda steps: self.residuals.get(tuple(i + s for i, s in zip(cell, steps)))
        along = lambda m, s: shifted([s if j == m else 0 for j in self.modes])
        lags = neighbours['lags']
        features = []
        for m in self.modes:
            for lag in lags[m]:
                near = [r for r in (along(m, -lag), along(m, lag)) if r is not None]
                features.append(sum(near) / len(near) if near else 0)
        for m in self.modes:
            near = [r for other, r in self.residuals.items() if other != cell and all(other[j] == cell[j] for j in self.modes if j != m)]
            features.append(sum(near) / (len(near) + 3))
        if any(lags):
            steps = itertools.product(*[range(-2, 3) if lags[m] else [0] for m in self.modes])
            near = [r for r in (shifted(step) for step in steps if any(step)) if r is not None]
            features.append(sum(near) / (len(near) + 3))
        unit = max(y, neighbours['least']) if neighbours['isRelative'] else 1
        return max(0, y + unit * sum(w * f for w, f in zip(neighbours['weights'], features)))


def in_data_units(link, z):
    """The mean of the values whose square roots or logarithms are about z."""
    if link is None:
        return z
    v = np.polyval(link['variance'][::-1], np.maximum(z, link['least']))
    return z ** 2 + v if link['name'] == 'sqrt' else np.expm1(z + v / 2)


def errors(x, y):
    return [np.sqrt(np.mean((x - y) ** 2)), np.mean(np.abs(x - y)), np.linalg.norm(x - y) / np.linalg.norm(x)]


def check_problem(at):
    model = Model(f'{at}/model.npz')
    meta, labels, dims = model.meta, model.meta['labels'], model.meta['dims']
    modes = [mode['name'] for mode in meta['modes']]
    zeros = meta['training'].get('missing') == 'zero'
    # Statistics of the training entries.
    cells, x, _ = table(f'{at}/train.csv', modes, labels)
    seen = meta['observed']
    check(f'{at} entries', seen['entries'], len(x))
    check(f'{at} range', [seen['min'], seen['max']], [min(0, x.min()), max(0, x.max())] if zeros else [x.min(), x.max()])
    check(f'{at} mean', seen['mean'], x.sum() / (np.prod(dims) if zeros else len(x)))
    for m in model.modes:
        counts = np.bincount(cells[:, m], minlength=dims[m])
        check(f'{at} counts {m}', model.array(f'entries_{m + 1}'), counts)
        size = np.full(dims[m], np.prod(dims) / dims[m]) if zeros else np.maximum(counts, 1)
        check(f'{at} means {m}', model.array(f'mean_{m + 1}'), np.bincount(cells[:, m], x, dims[m]) / size)
    check(f'{at} labels', [list(l) == sorted(l) and set(l) == set(r[c] for r in csv.DictReader(open(f'{at}/train.csv')))
                           for l, c in zip(labels, modes)], [1] * len(dims))
    # Predictions, errors and baselines.
    cells, x, _ = table(f'{at}/test.csv', modes, labels)
    y = model.predict(cells)
    answered = [row for row in csv.DictReader(open(f'{at}/predictions.csv', newline=''))]
    check(f'{at} predictions', [float(row['prediction']) for row in answered], y)
    evaluation = json.load(open(f'{at}/evaluation.json'))[0]
    check(f'{at} errors', [evaluation[k] for k in ('rmse', 'mae', 'relative')], errors(x, y))
    check(f'{at} R²', evaluation['r2'], 1 - np.mean((x - y) ** 2) / np.var(x), 1e-4)
    constant = np.clip(np.full(len(x), seen['mean']), seen['min'], seen['max'])
    check(f'{at} baseline', [evaluation['baselines'][0][k] for k in ('rmse', 'mae', 'relative')], errors(x, constant))
    if meta.get('intervals'):
        ends = [[float(row[k]) for k in ('low', 'prediction', 'high')] for row in answered]
        check(f'{at} intervals', [a <= b <= c for a, b, c in ends], [1] * len(ends))
    # The best rows of the first mode, with the others fixed.
    top = json.load(open(f'{at}/top.json'))
    fixed = [0 if c == modes[0] else labels[m].index(top['for'][c]) for m, c in enumerate(modes)]
    all_rows = model.predict(np.array([[p, *fixed[1:]] for p in range(dims[0])]))
    found = [labels[0].index(row['label']) for row in top['top']]
    check(f'{at} top', [row['predicted'] for row in top['top']], np.sort(all_rows)[::-1][:len(found)])
    check(f'{at} top rows', [row['predicted'] for row in top['top']], all_rows[found])
    # A slice of all predictions.
    slice_cells = np.array(list(itertools.product([0], *map(range, dims[1:]))))
    check(f'{at} fill', np.load(f'{at}/slice.npy').ravel(), model.predict(slice_cells))
    if not meta.get('members'):
        check_fold(at, model, modes, zeros)


def check_fold(at, model, modes, zeros):
    """Fold-in: other rows keep their bits; where unlisted cells are zeros, the new row is the least-squares row."""
    larger = Model(f'{at}/folded.npz')
    labels = larger.meta['labels']
    check(f'{at} folded labels', [labels[0][-1] == 'zzz', *[labels[m] == model.meta['labels'][m] for m in range(1, len(modes))]], [1] * len(modes))
    for m, factor in enumerate(model.factors):
        kept = larger.factors[m][:len(factor)]
        check(f'{at} kept rows {m}', kept.tobytes() == factor.tobytes(), 1)
    cells, x, _ = table(f'{at}/new.csv', modes, labels)
    check(f'{at} folded counts', larger.array('entries_1')[-1], len(x))
    row = larger.factors[0][-1].astype(float)
    check(f'{at} folded row', row.min() >= 0, 1)
    if zeros:
        others = [f.astype(float) for f in larger.factors[1:]]
        H = np.prod([f.T @ f for f in others], axis=0)
        b = np.prod([f[cells[:, m + 1]] for m, f in enumerate(others)], axis=0).T @ x
        gradient = (H + 1e-7 * np.trace(H) * np.eye(len(H))) @ row - b
        size = np.abs(b).max()
        check(f'{at} least squares', [gradient.min() > -1e-4 * size, np.abs(gradient * (row > 0)).max() < 1e-4 * size], [1, 1])


for line in sys.stdin:
    for folder in json.loads(line):
        check_problem(folder)
    print(json.dumps({'checks': checks, 'failures': failures}), flush=True)
