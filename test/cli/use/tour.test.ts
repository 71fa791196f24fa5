/** The tasks of docs/tour run as they are printed, with no more commands than a newcomer should need. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lacuna } from '../lacuna.ts'

const tour = fileURLToPath(new URL('../../../docs/tour/', import.meta.url))
const cwd = mkdtempSync(join(tmpdir(), 'lacuna-tour-'))
beforeAll(() => execFileSync(process.execPath, [join(tour, 'data.mjs')], { cwd }))
afterAll(() => rmSync(cwd, { recursive: true }))

/** The tasks of the page: their headings and the words of their commands. */
const tasks = readFileSync(join(tour, 'README.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n')[0],
    commands: [...text.matchAll(/^ {4}lacuna (.*)$/gm)].map(([, line]) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain),
    ),
  }))

/** The most commands that a task may take, by its heading; others take at most two. */
const MOST: Readonly<Record<string, number>> = {
  'What will be sold on one day': 1,
  'Sales next Tuesday': 1,
  'Gaps of sensors, with intervals': 1,
  'The empty cells of a wide table': 1,
  'Ten films for a user, and for me': 3,
  'A scratched photograph': 1,
  'Which rank': 1,
  'Is it any good': 1,
}
/** What the output of a task's last command shows. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  'Messy sales to a model': /Out of fold the error is \d\d% below the best baseline/,
  'What will be sold on one day': /^[\d.]+ \([\d.]+ to [\d.]+\)$/m,
  'Gaps of sensors, with intervals': /rows of sensor × time that it lacked added/,
  'The empty cells of a wide table': /empty cells, \d+ filled/,
  'A new shop, from three sales': /P-0\d\d/,
  'Ten films for a user, and for me': /Film no\. \d+/,
  'Which rank': /rank 2 .*chosen|rank 3 .*chosen/,
  'Is it any good': /On the test entries the error is \d+% below the best baseline/,
}

it('the tour has the tasks that are expected of it', () => {
  const titles = tasks.map(({ title }) => title)
  for (const title of [...Object.keys(MOST), ...Object.keys(SHOWN)]) expect(titles).toContain(title)
})

it.each(tasks)(
  'the tour works as it is printed: $title',
  { timeout: 120_000 },
  async ({ title, commands }) => {
    expect(commands.length).toBeGreaterThan(0)
    expect(commands.length).toBeLessThanOrEqual(MOST[title] ?? 2)
    let output = ''
    for (const words of commands) {
      const { code, stdout, stderr } = await lacuna(words, { cwd })
      expect({ command: words.join(' '), code, stderr }).toMatchObject({ code: 0 })
      output = `${stdout}${stderr}`
    }
    if (SHOWN[title]) expect(output).toMatch(SHOWN[title])
  },
)
