"""The estimators in the style of scikit-learn."""
import pathlib
import pickle
import subprocess
import sys
import textwrap
import unittest

import lacuna
import numpy as np
from lacuna import _base
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from .data import outer, ratings

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Imputer(unittest.TestCase):
    def test_all_checks_of_scikit_learn_pass(self):
        for estimator, check in check_estimator(lacuna.LacunaImputer(rank=2), generate_only=True):
            with self.subTest(str(check)):
                check(estimator)

    def test_gaps_are_filled_row_by_row_and_values_stay(self):
        whole, holed = outer(0.4)
        holed[3] = np.nan
        imputer = lacuna.LacunaImputer(rank=2).fit(holed)
        filled = imputer.transform(holed)
        known = ~np.isnan(holed)
        np.testing.assert_array_equal(filled[known], holed[known])
        np.testing.assert_allclose(filled[3], np.nanmean(holed, axis=0))
        others = np.arange(20) != 3
        np.testing.assert_allclose(filled[others], whole[others], rtol=0.25)
        # New rows are filled by their own values: in any order and number, and also beyond the training values.
        order = np.random.default_rng(1).permutation(20)
        np.testing.assert_allclose(imputer.transform(holed[order]), filled[order], rtol=1e-6)
        np.testing.assert_allclose(imputer.transform(holed[5:6]), filled[5:6], rtol=1e-6)
        new = np.array([[30.0, 60, np.nan, 120, np.nan, 180, 210, 240, 270, np.nan]])
        np.testing.assert_allclose(imputer.transform(new)[0], np.arange(1, 11) * 30.0, rtol=0.1)

    def test_negative_features_pipelines_clones_and_pickles(self):
        rng = np.random.default_rng(3)
        whole = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 6)) * 10 ** np.arange(-2.0, 4)
        holed = np.where(rng.random(whole.shape) < 0.15, np.nan, whole)
        imputer = clone(lacuna.LacunaImputer(rank=6, random_state=2)).fit(holed)
        gaps = np.isnan(holed)
        scale = np.broadcast_to(whole.std(axis=0), whole.shape)[gaps]
        error = np.sqrt(np.mean(((imputer.transform(holed) - whole)[gaps] / scale) ** 2))
        self.assertLess(error, 0.7)  # the means have 1
        again = pickle.loads(pickle.dumps(imputer))
        np.testing.assert_array_equal(again.transform(holed), imputer.transform(holed))
        self.assertEqual(make_pipeline(imputer).fit_transform(holed).shape, holed.shape)
        self.assertEqual(imputer.get_params()['rank'], 6)
        with self.assertRaisesRegex(ValueError, 'Feature 1 has no values'):
            lacuna.LacunaImputer().fit(np.array([[1, np.nan], [2, np.nan]]))

    def test_numpy_alone_is_enough(self):
        program = """
            import sys
            for name in ('pandas', 'sklearn', 'xarray', 'polars', 'IPython'):
                sys.modules[name] = None  # importing it fails
            import lacuna, numpy as np
            from tests.data_numpy import outer
            whole, holed = outer()
            imputer = lacuna.LacunaImputer(rank=2)
            error = np.abs(imputer.fit_transform(holed) - whole).max()
            assert error < 5, error
            assert repr(imputer).startswith('LacunaImputer(folds=None')
            for wrong in ([[1, 2, 3]], holed[:, :3], np.full((3, 10), np.inf)):
                try:
                    imputer.transform(wrong)
                except lacuna.LacunaError:
                    continue
                raise AssertionError(wrong)
            print(lacuna.complete({'a': [1, 1, 2], 'b': [1, 2, 1], 'v': [1, 2, 3]}, ['a', 'b'], 'v', rank=1).shape)
            """
        printed = subprocess.run(
            [sys.executable, '-c', textwrap.dedent(program)], cwd=ROOT, capture_output=True, text=True
        )
        self.assertEqual((printed.stdout, printed.returncode), ('(2, 2)\n', 0), printed.stderr)

    def test_parameters_without_scikit_learn(self):
        class Plain(_base.TransformerMixin, _base.BaseEstimator):
            def __init__(self, rank=10, server=None):
                self.rank, self.server = rank, server

        plain = Plain(rank=3)
        self.assertEqual(plain.set_params(server='x').get_params(), {'rank': 3, 'server': 'x'})
        self.assertEqual(repr(plain), "Plain(rank=3, server='x')")
        with self.assertRaisesRegex(ValueError, "no parameter 'rnak'"):
            plain.set_params(rnak=1)


class Recommender(unittest.TestCase):
    def test_recommends_items_that_were_not_rated(self):
        table = ratings()
        recommender = lacuna.LacunaRecommender(rank=3).fit(table)
        best = recommender.recommend(42, n=5)
        seen = set(table[table.userId == 42].movieId)
        self.assertFalse(seen & {item for item, _ in best})
        # The best movies are those whose number leaves 2 when divided by 3.
        self.assertTrue(all(item % 3 == 2 for item, _ in best), best)
        predicted = recommender.predict([(42, 318), (42, 99999)])
        self.assertTrue(predicted[0] > 0 and np.isnan(predicted[1]))
        self.assertEqual(len(recommender.similar(318, n=2)), 2)
        by_columns = lacuna.LacunaRecommender(rank=3).fit(table[['userId', 'movieId']].to_numpy(), table.rating)
        self.assertEqual(by_columns.recommend(42, n=5), best)
        self.assertEqual(clone(recommender).get_params(), recommender.get_params())
        self.assertEqual(pickle.loads(pickle.dumps(recommender)).recommend(42, n=5), best)

    def test_wrong_input(self):
        with self.assertRaisesRegex(ValueError, 'not fitted'):
            lacuna.LacunaRecommender().recommend(1)
        with self.assertRaisesRegex(ValueError, 'There are 2 columns; user, item and rating are needed'):
            lacuna.LacunaRecommender().fit([(1, 2), (3, 4)])
        with self.assertRaisesRegex(lacuna.LacunaError, 'knows no user "9"'):
            lacuna.LacunaRecommender(rank=1).fit([(1, 2, 3.0), (1, 3, 4.0), (2, 2, 5.0)]).recommend(9)
