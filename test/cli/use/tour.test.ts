/** The tasks of docs/tour take no more commands than a newcomer should need. (test/docs runs them.) */
import { expect, it } from 'vitest'
import { textOf } from '../../docs/blocks.ts'

/** The tasks of the page: their headings and numbers of commands. */
const tasks = textOf('docs/tour/README.md')
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split('\n')[0],
    commands: [...text.matchAll(/^ {4}lacuna /gm)].length,
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
it('the tour has the tasks that are expected of it', () => {
  const titles = tasks.map(({ title }) => title)
  for (const title of Object.keys(MOST)) expect(titles).toContain(title)
})

it.each(tasks)('the tour needs few commands: $title', ({ title, commands }) => {
  expect(commands).toBeGreaterThan(0)
  expect(commands).toBeLessThanOrEqual(MOST[title] ?? 2)
})
