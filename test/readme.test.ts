/** The README is a first screen, not a manual, and its figures are found where they link to. (test/docs runs its examples.) */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { root, textOf } from './docs/blocks.ts'

it('the README is short, and its lines fit a screen', () => {
  const lines = textOf('README.md').split('\n')
  expect(lines.length).toBeLessThan(150)
  expect(lines.filter((line) => line.length >= 110)).toEqual([])
})

/** The paragraphs and list items of a page, each as one line, without code; a figure in bold belongs to what follows it. */
const paragraphsOf = (text: string): string[] =>
  text
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<b>([^<]*)<\/b>\s*/g, '$1 ')
    .split(/\n(?=- |#)|\n\s*\n/)
    .filter((block) => !/^( {4}|#|!)/.test(block.trimEnd()))
    .map((block) => block.replace(/\s+/g, ' ').trim())

/** What a link of a page leads to: the section of its anchor, or the whole file. */
function targetOf(page: string, link: string): string {
  const [path, anchor] = link.split('#')
  const text = readFileSync(join(root, dirname(page), path), 'utf8')
  if (anchor === undefined) return text
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
  const sections = text.split(/^(?=#+ )/m)
  const at = sections.findIndex((section) => slug(section.split('\n')[0].replace(/^#+ /, '')) === anchor)
  return sections[at] ?? ''
}

/** The measured figures of a text: numbers with decimals, multiples, sizes and times; not those of code or settings. */
const figuresOf = (text: string): string[] =>
  [
    ...text
      .replace(/`[^`]*`/g, '')
      .replace(/\]\([^)]*\)/g, ']')
      .matchAll(/(?<![\d.≥] ?)(\d+\.\d+)|(\d+)(?= times|,? (?:to|and) \d+ times| kB| MB)/g),
  ].map(([, decimal, whole]) => decimal ?? whole)

/** Whether a text has a number that rounds to a figure. */
function hasFigure(text: string, figure: string): boolean {
  const decimals = figure.split('.')[1]?.length ?? 0
  return [...text.matchAll(/\d+(\.\d+)?/g)].some(
    ([number]) => Number(Number(number).toFixed(decimals)) === Number(figure),
  )
}

it.each([
  ['README.md', 7],
  ['site/index.md', 1],
])('every measured figure of %s is in a section or file that its paragraph links to', (page, least) => {
  const paragraphs = paragraphsOf(textOf(page)).filter((text) => figuresOf(text).length > 0)
  expect(paragraphs.length).toBeGreaterThanOrEqual(least)
  const missing = paragraphs.flatMap((text) => {
    const targets = [...text.matchAll(/\]\(([^):\s]+)\)/g)].map(([, link]) => targetOf(page, link))
    return figuresOf(text)
      .filter((figure) => !targets.some((target) => hasFigure(target, figure)))
      .map((figure) => `${figure}: ${text.slice(0, 60)}`)
  })
  expect(missing).toEqual([])
})

it('every feature of the README has a link', () => {
  const features = paragraphsOf(textOf('README.md').split('## Features')[1].split('\n## ')[0])
  expect(features.filter((text) => text !== '' && !/\]\([^)]+\)/.test(text))).toEqual([])
})
