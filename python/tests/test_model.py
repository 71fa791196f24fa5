"""Learning from tables and arrays, and what models answer."""
import importlib.util
import os
import pickle
import tempfile
import unittest
import warnings

import lacuna
import numpy as np
import pandas as pd

from .data import outer, ratings

MODES = {'modes': ['userId', 'movieId'], 'value': 'rating'}


def setUpModule():
    global table, model, ensemble
    table = ratings()
    model = lacuna.complete(table, **MODES, rank=3)
    ensemble = lacuna.complete(table, **MODES, rank=3, folds=3, epochs=20)


class Inputs(unittest.TestCase):
    def test_tables_of_all_kinds_give_the_same_model(self):
        columns = {name: table[name].to_numpy() for name in table}
        for kind, data in {
            'dict': columns,
            'lists': {name: column.tolist() for name, column in columns.items()},
            'records': table.to_dict('records'),
            'nullable types': table.convert_dtypes(),
            'more columns and rows without a value': pd.concat(
                [table.assign(other='x'), pd.DataFrame({'userId': [1], 'movieId': [301], 'rating': [np.nan]})]
            ),
        }.items():
            with self.subTest(kind):
                same = lacuna.complete(data, **MODES, rank=3)
                for own, factor in zip(same.factors, model.factors):
                    np.testing.assert_array_equal(own, factor)

    @unittest.skipUnless(importlib.util.find_spec('polars'), 'polars is not installed')
    def test_polars(self):
        import polars

        same = lacuna.complete(polars.from_pandas(table), **MODES, rank=3)
        np.testing.assert_array_equal(same.factors[0], model.factors[0])
        np.testing.assert_array_equal(same.predict(polars.from_pandas(table)), model.predict(table))

    def test_nan_and_masks_are_missing_and_arrays_are_completed(self):
        whole, holed = outer()
        filled = lacuna.complete(holed, rank=2)
        np.testing.assert_allclose(filled.to_dense(), whole, atol=1.01)  # predictions stay in the range of what is there
        masked = lacuna.complete(np.ma.masked_invalid(holed), rank=2)
        named = lacuna.complete(holed, modes=['row', 'column'], rank=2)
        for other in (masked, named):
            np.testing.assert_array_equal(other.factors[0], filled.factors[0])
        self.assertEqual(named.modes, ['row', 'column'])
        # Rows of an array are numbers from 1 in tables, indices from 0 in arrays.
        self.assertEqual(named.predict({'row': 1, 'column': 2}), named.predict([[0, 1]])[0])
        self.assertLess(filled.evaluate(whole)['rmse'], 1)

    @unittest.skipUnless(importlib.util.find_spec('xarray'), 'xarray is not installed')
    def test_coordinates_of_xarray_are_labels(self):
        import xarray

        whole, holed = outer()
        days = pd.date_range('2024-01-01', periods=20)
        data = xarray.DataArray(holed, dims=['day', 'shop'], coords={'day': days, 'shop': range(10)}, name='sales')
        learned = lacuna.complete(data, rank=2)
        self.assertEqual((learned.modes, learned.value), (['day', 'shop'], 'sales'))
        dense = learned.to_xarray()
        self.assertEqual(dense.sel(day='2024-01-03', shop=4).item(), learned.predict({'day': days[2], 'shop': 4}))
        np.testing.assert_array_equal(dense.coords['day'], days.to_numpy())

    def test_times_are_binned_and_odd_names_and_labels_survive(self):
        odd = table.assign(when=pd.Timestamp('2024-01-01') + pd.to_timedelta(table.index % 40, unit='D'))
        weekly = lacuna.complete(odd, modes=['userId', 'week(when)'], value='rating', rank=2, merge='mean')
        self.assertEqual(weekly.labels[1][:2], ['2024-01-01', '2024-01-08'])
        self.assertEqual(len(weekly.predict(odd)), len(odd))
        users = [f'"u", {i}\n=1' for i in range(6)]
        strange = {'a "b", (c)': [u for u in users for _ in range(5)], 'ü': list('vwxyz') * 6, 'v': np.arange(30.0)}
        named = lacuna.complete(strange, modes=['a "b", (c)', 'ü'], value='v', rank=1)
        self.assertEqual(named.labels[0], users)
        self.assertGreaterEqual(named.predict({'a "b", (c)': users[3], 'ü': 'x'}), 0)

    def test_weights_counts_and_columns_whose_names_are_numbers(self):
        numbered = table.rename(columns={'userId': 0, 'movieId': 1, 'rating': 2})
        with self.assertRaisesRegex(lacuna.LacunaError, 'called 0, 1, 2; give them names'):
            lacuna.complete(numbered, modes=[0, 1], value=2, rank=3)
        weighted = lacuna.complete(table.assign(w=1 + table.index % 2), **MODES, rank=3, weight='w')
        self.assertFalse(np.array_equal(weighted.factors[0], model.factors[0]))
        missing = pd.DataFrame({'userId': pd.array([1, None], 'Int64'), 'movieId': [300, 300]})
        with self.assertRaisesRegex(lacuna.LacunaError, 'Row 2: userId is missing'):
            model.predict(missing)
        counted = lacuna.complete({'a': list('xxyyz'), 'b': list('uuvuv')}, modes=['a', 'b'], rank=1)
        self.assertEqual(counted.report['tensor']['entries'], 4)

    def test_a_column_of_another_case_is_taken_with_a_warning(self):
        with self.assertWarnsRegex(lacuna.LacunaWarning, 'no column "movieID"; movieId is taken'):
            lacuna.complete(table, modes=['userId', 'movieID'], value='rating', rank=3)

    def test_wrong_input_raises_the_sentence(self):
        whole, _ = outer()
        for message, learn in {
            'rating_': lambda: lacuna.complete(table, modes=['userId', 'movieId'], value='rating_'),
            'give a list of names': lambda: lacuna.complete(table, modes='userId'),
            'negative': lambda: lacuna.complete(-whole),
            'at least 2': lambda: lacuna.complete(np.arange(3.0)),
            '1 modes for an array of 2': lambda: lacuna.complete(whole, modes=['a']),
            'real numbers': lambda: lacuna.complete(np.array([['a', 'b']])),
            'no rows': lambda: lacuna.complete(table[:0], **MODES),
            'differ in length': lambda: lacuna.complete({'a': [1, 2], 'b': [1], 'v': [1, 2]}, ['a', 'b'], 'v'),
            "unknown option '--rnak'": lambda: lacuna.complete(table, **MODES, rnak=3),
            '--rank': lambda: lacuna.complete(table, **MODES, rank=1000),
            'hyphen': lambda: lacuna.complete(table, **MODES, fold_by='--output'),
            'no such file': lambda: lacuna.complete('missing.csv'),
        }.items():
            with self.subTest(message), self.assertRaisesRegex(lacuna.LacunaError, message):
                learn()


class Answers(unittest.TestCase):
    def test_predictions_are_products_of_factors_within_the_range(self):
        users, movies = (
            table[name].map({int(x): i for i, x in enumerate(labels)}) for name, labels in zip(table, model.labels)
        )
        products = np.einsum('er,er->e', model.factors[0][users], model.factors[1][movies])
        expected = np.clip(products, table.rating.min(), table.rating.max())
        np.testing.assert_allclose(model.predict(table), expected, rtol=1e-5)
        np.testing.assert_array_equal(model.predict(np.stack([users, movies], axis=1)), model.predict(table))
        np.testing.assert_array_equal(model.predict(table.to_dict('records')[:9]), model.predict(table[:9]))
        self.assertEqual(model.predict({'userId': 1, 'movieId': '300'}), model.to_dense()[0, 0])
        self.assertEqual(model.predict(table[:0]).shape, (0,))

    def test_large_batches_are_split(self):
        from lacuna import model as module

        before, module.ROWS_PER_REQUEST = module.ROWS_PER_REQUEST, 100
        try:
            np.testing.assert_array_equal(model.predict(table), model.to_dense()[tuple(np.array([
                [model.labels[m].index(x) for x in table[name]] for m, name in enumerate(MODES['modes'])
            ]))])
        finally:
            module.ROWS_PER_REQUEST = before

    def test_labels_that_are_unknown_or_missing(self):
        queries = {'userId': ['nobody', 1], 'movieId': [300, 300]}
        with self.assertRaisesRegex(lacuna.LacunaError, 'Row 1: The model knows no userId "nobody"'):
            model.predict(queries)
        predicted = model.predict(queries, unknown='nan')
        self.assertTrue(np.isnan(predicted[0]) and predicted[1] > 0)
        for message, wrong in {
            'Row 2: movieId is missing': {'userId': [1, 2], 'movieId': [300, None]},
            'There is no movieId': {'userId': [1]},
            'There is no column userId among user': {'user': [1], 'movie': [2]},
            'differ in length': {'userId': [1, 2], 'movieId': [300]},
            'must be from 0 to 39': [[0, 40]],
            'has the index -1': [[-1, 0]],
            '3 columns': [[0, 0, 0]],
            'array of 1 dimensions': [0.5],
        }.items():
            with self.subTest(message), self.assertRaisesRegex(lacuna.LacunaError, message):
                model.predict(wrong)

    def test_rankings_components_and_errors(self):
        dense = model.to_dense()
        best = model.top('movieId', userId=42, n=3, exclude=())
        row = dense[model.labels[0].index(42)]
        self.assertIsInstance(best[0]['label'], int)
        self.assertIsInstance(best[0]['predicted'], float)
        rated = set(table.movieId[table.userId == 42])
        self.assertTrue(rated.isdisjoint(row['label'] for row in model.top('movieId', userId=42, n=3)))
        np.testing.assert_allclose([each['predicted'] for each in best], np.sort(row)[::-1][:3], rtol=1e-6)
        others = model.top('movieId', for_={'userId': 42}, n=3, exclude=[best[0]['label']])
        self.assertEqual(others[0]['label'], best[1]['label'])
        self.assertEqual(len(model.similar('movieId', 318, n=4)), 4)
        self.assertEqual([len(c['modes'][0]['strongest']) for c in model.components(2)], [2] * 3)
        errors = model.evaluate(table)
        self.assertAlmostEqual(errors['rmse'], np.sqrt(np.mean((model.predict(table) - table.rating) ** 2)), 5)
        with self.assertRaisesRegex(lacuna.LacunaError, 'There is no column rating'):
            model.evaluate(table[['userId', 'movieId']])
        with self.assertRaisesRegex(lacuna.LacunaError, 'There is no mode "film"'):
            model.top('film')

    def test_new_rows_and_entries_make_other_models(self):
        eve = [{'userId': 'eve', 'movieId': m, 'rating': r} for m, r in ((300, 2.0), (301, 3.0), (302, 3.5))]
        larger = model.fold_in(eve)
        self.assertEqual((larger.shape, model.shape), ((61, 40), (60, 40)))
        self.assertGreater(larger.predict({'userId': 'eve', 'movieId': 304}), 0)
        np.testing.assert_array_equal(larger.factors[1], model.factors[1])
        offered = [row['label'] for row in larger.top('movieId', userId='eve', n=40)]
        self.assertEqual((len(offered), {300, 301, 302} & set(offered)), (37, set()))
        with self.assertRaisesRegex(lacuna.LacunaError, 'knows all of these rows'):
            model.fold_in(table[:3])
        updated = model.update(pd.DataFrame({'userId': [1], 'movieId': [300], 'rating': [3.0]}))
        self.assertFalse(np.array_equal(updated.factors[0], model.factors[0]))

    def test_intervals_of_ensembles_contain_most_values(self):
        prediction, low, high = ensemble.intervals(table, level=0.9)
        self.assertTrue(np.all((low <= prediction) & (prediction <= high)))
        self.assertGreater(np.mean((low <= table.rating) & (table.rating <= high)), 0.8)
        np.testing.assert_array_equal(prediction, ensemble.predict(table))
        self.assertEqual((len(ensemble.members), ensemble.report['outOfFold']['folds']), (3, 3))
        np.testing.assert_allclose(ensemble.weights, [1 / 3] * 3)
        with self.assertRaisesRegex(lacuna.LacunaError, 'several sets of factors'):
            ensemble.factors
        with self.assertRaisesRegex(lacuna.LacunaError, 'Only models of --folds or --best have intervals'):
            model.intervals(table)

    def test_files_and_pickles_hold_the_same_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'copy.npz')
            model.save(path)
            again = lacuna.load(path)
            np.testing.assert_array_equal(again.predict(table), model.predict(table))
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).predict(table), model.predict(table))
            self.assertEqual(os.listdir(folder), ['copy.npz'])
            with self.assertRaisesRegex(lacuna.LacunaError, 'must end in .npz'):
                model.save(os.path.join(folder, 'copy.model'))
            with self.assertRaisesRegex(lacuna.LacunaError, 'cannot be written'):
                model.save(os.path.join(folder, 'missing', 'copy.npz'))
            with open(path, 'rb') as file:
                content = file.read()
            for damaged in (content[:-100], content[: len(content) // 2], b'', b'garbage' * 100):
                with open(path, 'wb') as file:
                    file.write(damaged)
                with self.assertRaisesRegex(lacuna.LacunaError, 'copy.npz'):
                    lacuna.load(path)
            with self.assertRaisesRegex(lacuna.LacunaError, 'no such file'):
                lacuna.load(os.path.join(folder, 'none.npz'))

    @unittest.skipUnless(importlib.util.find_spec('tensorly'), 'tensorly is not installed')
    def test_tensorly(self):
        from tensorly.cp_tensor import cp_to_tensor

        dense = cp_to_tensor(model.to_tensorly())
        np.testing.assert_allclose(np.clip(dense, table.rating.min(), table.rating.max()), model.to_dense(), rtol=1e-5)

    def test_guesses_are_warnings_and_progress_is_called(self):
        lines = []
        lacuna.complete(table, **MODES, rank=2, progress=lines.append)
        self.assertTrue(any('epoch' in line for line in lines), lines)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            lacuna.complete(table, rank=2)  # the modes and the value are guessed
        self.assertTrue(any(issubclass(each.category, lacuna.LacunaWarning) for each in caught), caught)
