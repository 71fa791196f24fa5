/** The first screen of the README runs as it is printed, on a small table of ratings. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lacuna } from './cli/lacuna.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [firstScreen] = readme.split('\n## ')
const cwd = mkdtempSync(join(tmpdir(), 'lacuna-readme-'))

beforeAll(() => {
  const rows: string[] = []
  for (let user = 1; user <= 60; user++)
    for (let movie = 300; movie < 340; movie++)
      if ((user * 31 + movie * 17) % 5 < 2 || (user === 42 && movie < 310))
        rows.push(`${user},${movie},${1 + ((user % 3) + (movie % 3)) / 1}`)
  writeFileSync(join(cwd, 'ratings.csv'), `userId,movieId,rating\n${rows.join('\n')}\n`)
  writeFileSync(join(cwd, 'queries.csv'), 'userId,movieId\n42,318\n42,319\n1,300\n')
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(join(root, 'packages/lacuna'), join(cwd, 'node_modules/lacuna'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

it('the TypeScript on the first screen of the README runs and predicts', () => {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(firstScreen)!
  writeFileSync(join(cwd, 'program.mjs'), program)
  const printed = execFileSync(process.execPath, ['program.mjs'], { cwd, encoding: 'utf8' })
  expect(printed).toMatch(/rmse: 0\.\d+/)
  expect(printed).toMatch(/^[1-5](\.\d+)?$/m)
  expect(readFileSync(join(cwd, 'model.npz')).length).toBeGreaterThan(1000)
})

it('the commands on the first screen of the README run', async () => {
  const commands = [...firstScreen.matchAll(/^ {4}lacuna (.*?)(?: {2,}#.*)?$/gm)].map(([, args]) => args)
  expect(commands).toHaveLength(3)
  for (const command of commands) {
    const { code, stderr } = await lacuna(command.split(' '), { cwd })
    expect({ command, code, stderr }).toMatchObject({ command, code: 0 })
  }
  expect(readFileSync(join(cwd, 'predicted.csv'), 'utf8').split('\n')[0]).toBe('userId,movieId,prediction')
})

it('the README is short, and its lines fit a screen', () => {
  const lines = readme.split('\n')
  expect(lines.length).toBeLessThan(150)
  expect(lines.filter((line) => line.length >= 110)).toEqual([])
})
