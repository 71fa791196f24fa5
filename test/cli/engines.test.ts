/** The choice of an engine on the command line, on SwiftShader. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readModel } from '#lacuna/index.js'
import { useSoftwareAdapter } from '../lacuna/engine/gpu/softwareAdapter.ts'
import { lacuna, type Run } from './lacuna.ts'

useSoftwareAdapter()

const PATIENCE_MS = 240_000
/** In a process of its own: one that has found a card does not look for it again. */
const NO_CARD = { env: { VK_ICD_FILENAMES: '/dev/null' }, alone: true }
let cwd: string

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'lacuna-engines-'))
  await lacuna(['synth', '--dims', '20x15x10', '--entries', '1500', '--rank', '2', '-o', 'data.tns'], { cwd })
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

const complete = (...args: string[]): Promise<Run> =>
  lacuna(['complete', 'data.tns', '--rank', '2', '--json', ...args], { cwd })

it('complete gives as good a model on the GPU, and names the device', { timeout: PATIENCE_MS }, async () => {
  const onCard = await complete('--engine', 'gpu', '-o', 'card.npz')
  const onCpu = await complete('--engine', 'auto', '-o', 'cpu.npz') // nobody would gain from a program
  expect([onCard.code, onCpu.code]).toEqual([0, 0])
  expect(onCard.stderr).toMatch(/^Rank 2 on .*swiftshader.* and \d+ threads?, /m)
  expect(onCpu.stderr).toMatch(/^Rank 2 on \d+ threads?, /m)
  const [card, cpu] = [onCard, onCpu].map(({ stdout }) => JSON.parse(stdout).train.relative)
  expect(card).toBeLessThan(1e-3)
  expect(cpu).toBeLessThan(1e-3)
  const model = (name: string) => readModel(join(cwd, name), 'single')
  expect((await model('card.npz')).training.engine).toMatch(/swiftshader/)
  expect((await model('cpu.npz')).training.engine).toBeUndefined()
})

it('info --engines lists the engines of the machine', { timeout: PATIENCE_MS }, async () => {
  const there = await lacuna(['info', '--engines', '--json'])
  expect(JSON.parse(there.stdout)).toMatchObject({ gpu: { available: true, software: true }, auto: 'cpu' })
  const missing = await lacuna(['info', '--engines'], NO_CARD)
  expect(missing.stdout).toMatch(/^gpu {3}No graphics card can be reached: .*\nauto {2}cpu/m)
})

it('--engine gpu is refused without a GPU', { timeout: PATIENCE_MS }, async () => {
  const missing = await lacuna(['complete', 'data.tns', '--engine', 'gpu'], { cwd, ...NO_CARD })
  expect(missing.code).toBe(2)
  expect(missing.stderr).toContain('lacuna: No graphics card can be reached')
})

it('--missing zero gives the same errors on the GPU and on the CPU', { timeout: PATIENCE_MS }, async () => {
  const [onCard, onCpu] = await Promise.all(
    ['gpu', 'cpu'].map((engine) => complete('--engine', engine, '--missing', 'zero', '--epochs', '10')),
  )
  const [card, cpu] = [onCard, onCpu].map(({ stdout }) => JSON.parse(stdout).train.relative)
  expect(card / cpu).toBeCloseTo(1, 3)
})
