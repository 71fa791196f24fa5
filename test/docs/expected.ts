/** What commands print where the page does not show it: a page, a part of the command, a pattern. */
export const EXPECTED: readonly (readonly [page: string, part: string, pattern: RegExp])[] = [
  ['README.md', 'predict model.npz queries.csv', /userId,movieId,prediction/],
  ['README.md', 'evaluate model.npz', /the mean of each userId/],
  ['README.md', 'folds.npz ratings.test.csv', /Intervals of 90% hold/],
  ['docs/serve.md', 'v1/models/films/top', /"rows":\[(.*"predicted":.*){3}/],
  ['docs/tour/README.md', '--folds 5', /Out of fold the error is \d\d% below the best baseline/],
  ['docs/tour/README.md', '--at Datum', /^[\d.]+ \([\d.]+ to [\d.]+\)$/m],
  ['docs/tour/README.md', 'fill sensors.csv', /rows of sensor × time that it lacked added/],
  ['docs/tour/README.md', 'fill wide.csv', /empty cells, \d+ filled/],
  ['docs/tour/README.md', 'fold shops.npz', /P-0\d\d/],
  ['docs/tour/README.md', 'fold films.npz', /Film no\. \d+/],
  ['docs/tour/README.md', 'filmId --value rating --rank auto', /rank [23] .*chosen/],
  ['docs/tour/README.md', '--test 0.1', /On the test entries the error is \d+% below the best baseline/],
]
