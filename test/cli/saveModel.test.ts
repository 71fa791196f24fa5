import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { saveModel } from '#cli/process/saveModel.ts'
import { readModel } from '#lacuna/io/node/index.js'
import { CpModel } from '#lacuna/model/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-save-'))
afterAll(() => rmSync(folder, { recursive: true }))
const model = new CpModel({
  dims: [2, 3],
  rank: 1,
  factors: [Float32Array.of(1, 2), Float32Array.of(3, 4, 5)],
})

it('a model is written to the given path', async () => {
  await saveModel(join(folder, 'm.npz'), model)
  expect(await readModel(join(folder, 'm.npz'), 'single')).toEqual(model)
  expect(readdirSync(folder)).toEqual(['m.npz'])
})

it('a model that cannot be written goes to the folder for temporary files, and the error names it', async () => {
  const { message } = (await saveModel(join(folder, 'gone/m.npz'), model).catch((error) => error)) as Error
  expect(message).toMatch(/gone\/m\.npz: .* The model is not lost: it is in .*\/m\.npz\.$/)
  const rescued = /it is in (.*)\.$/.exec(message)?.[1] ?? 'not told'
  expect(await readModel(rescued, 'single')).toEqual(model)
  rmSync(dirname(rescued), { recursive: true })
})
