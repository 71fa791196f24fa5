import { expect, it } from 'vitest'
import { jsonReport } from '#cli/commands/complete/report/completeReport.ts'
import { complete, synthetic } from '#lacuna/index.js'

it('the JSON report has settings, sizes, epochs, errors, why the run stopped, and the peak of memory in bytes', async () => {
  const { tensor } = synthetic({ dims: [12, 10, 8], entries: 500, rank: 2, seed: 1 })
  const result = await complete(tensor, { rank: 2, epochs: 2, prior: 'isotropic', threads: 1 })
  const took = { reading: 1, setUp: 2, solving: 3 }
  const details = { output: 'm.npz', threads: 1, took } as Parameters<typeof jsonReport>[3]
  const report = JSON.parse(
    JSON.stringify(jsonReport({ dims: tensor.dims, entries: 450 }, result, { train: result.train }, details)),
  )
  expect(report).toMatchObject({
    settings: { rank: 2, epochs: 2, prior: 'isotropic', threads: 1 },
    tensor: { dims: [12, 10, 8], entries: 450 },
    train: { rmse: result.train.rmse, entries: 500 },
    stopped: 'epochs',
    took,
    model: 'm.npz',
  })
  expect(report.epochs).toHaveLength(result.epochs.length)
  expect(report.settings).not.toHaveProperty('processes')
  expect(report.peakMemory).toBeGreaterThan(process.memoryUsage.rss() / 2)
})
