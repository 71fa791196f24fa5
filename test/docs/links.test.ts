/** No broken link: every relative link of README, docs and site leads to a file, and every anchor to a heading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, it } from 'vitest'
import { pages, root, textOf } from './blocks.ts'

/** Pages that are made when the site is built. */
const GENERATED = ['site/reference/commands.md', 'site/studio/index.html']

/** The anchor of a heading, as GitHub and the site make it. */
const slugOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The text of a page without its code. */
const prose = (page: string): string =>
  textOf(page)
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, '`')

/** The anchors of a page; a repeated heading gets a number. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>()
  const text = textOf(page).replace(/^ *```[\s\S]*?^ *```/gm, '')
  return new Set(
    Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) => {
      const slug = slugOf(heading.replaceAll('`', ''))
      const count = seen.get(slug) ?? 0
      seen.set(slug, count + 1)
      return count === 0 ? slug : `${slug}-${count}`
    }),
  )
}

it('every link and anchor of README, docs and site leads somewhere', () => {
  const all = [...pages(), 'CHANGELOG.md', 'CODE_OF_CONDUCT.md']
  const broken = all.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link)
      .filter((link) => !/^\w+:/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split('#')
        const target = path === '' ? page : posix.join(dirname(page), path)
        if (GENERATED.includes(target)) return false
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
      })
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

it('no page names a host of the machine that it was written on', () => {
  const wrong = pages().filter((page) => /\/(work|root)\/|localhost:\d{5}/.test(textOf(page)))
  expect(wrong).toEqual([])
})

it('every npm script that pages and workflows name exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)
  const unknown = [...pages(), ...workflows].flatMap((page) =>
    [...textOf(page).matchAll(/npm run ([a-z][\w-]*)/g)]
      .filter(([, name]) => !(name in scripts))
      .map(([, name]) => `${page}: npm run ${name}`),
  )
  expect(unknown).toEqual([])
})
