import { synthetic } from '/tmp/review/dist/index.js'
import { completeByFolds } from '/tmp/review/dist/subpaths/folds.js'

const { tensor } = synthetic({ dims: [400, 400, 400], entries: 20000, rank: 2, noise: 0.3, seed: 1 })
const t = performance.now()
const r = await completeByFolds(tensor, { rank: 4, threads: 1 }, { folds: 5 })
console.log(
  '400³, 20000 entries: rss',
  process.resourceUsage().maxRSS >> 10,
  'MB',
  ((performance.now() - t) / 1000).toFixed(1),
  's',
  !!r.model.neighbours,
)
