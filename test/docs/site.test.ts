/**
 * The website as far as it is cheap to test: staged pages and relative addresses. `npm run site -- --check` builds it and opens
 * it in Chromium; that takes npm packages and half a minute, and is a job of its own in CI.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { replaceInScript } from '../../scripts/site/relativeBase.mjs'
import { anchorOptions, stagePages } from '../../scripts/site/stage.mjs'
import { boostOf, splitCommands } from '../../site/.vitepress/search.mjs'
import { runLatest } from '../../site/.vitepress/theme/latest.js'
import { root } from './blocks.ts'

const stage = mkdtempSync(join(tmpdir(), 'lacuna-stage-'))
beforeAll(() => stagePages(root, stage, '# Commands\n'))
afterAll(() => rmSync(stage, { recursive: true }))

it('every page of docs and site is staged, and its links lead to pages, pictures or copies of sources', () => {
  const pages = readdirSync(stage, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !path.startsWith('public'),
  )
  for (const page of [
    'index.md',
    'gallery.md',
    'docs/data.md',
    'docs/tour/index.md',
    'reference/commands.md',
  ])
    expect(pages).toContain(page)
  const broken = pages.flatMap((page) =>
    [
      ...readFileSync(join(stage, page), 'utf8')
        .replace(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, '')
        .matchAll(/\]\(([^)\s#]+)/g),
    ]
      .filter(([, link]) => !/^\w+:/.test(link))
      .map(([, link]) => join(dirname(page), link))
      .filter((path) => path !== 'studio/index.html')
      .filter((path) => !existsSync(join(stage, path)) && !existsSync(join(stage, 'public', path)))
      .map((path) => `${page}: ${path}`),
  )
  expect(broken).toEqual([])
  expect(existsSync(join(stage, 'public/source/bench/src/measure/convergence.ts.txt'))).toBe(true)
  // A folder is a page of links to copies of its files.
  const folder = 'packages/lacuna/src/reference'
  const copied = join(stage, 'public/source', folder)
  for (const name of readdirSync(join(root, folder))) {
    expect(readFileSync(join(copied, 'index.html'), 'utf8')).toContain(`href="${name}.txt"`)
    expect(existsSync(join(copied, `${name}.txt`)), name).toBe(true)
  }
  // A picture that is linked to, not shown, is no asset of a page.
  const linked = pages.flatMap((page) =>
    [
      ...readFileSync(join(stage, page), 'utf8').matchAll(
        /(?<!!)\[[^\]![]*\]\(([^)\s#]+\.(?:webp|jpg|png|svg))\)/g,
      ),
    ].map(([, link]) => join('public', dirname(page), link)),
  )
  expect(linked.length).toBeGreaterThan(0)
  expect(linked.filter((path) => !existsSync(join(stage, path)))).toEqual([])
})

it('every option of the reference of commands has an anchor, and is a result of the search', () => {
  const reference =
    '## lacuna top\n\n| option | meaning |\n| --- | --- |\n| `-o, --output <file>` | where |\n'
  expect(anchorOptions(reference)).toContain(
    '| <span id="lacuna-top-output"></span>`-o, --output <file>` | where |',
  )
  const html = `<h1 id="commands">Commands <a href="#commands"></a></h1><h2 id="lacuna-top" tabindex="-1">lacuna top <a href="#lacuna-top"></a></h2>
    <p>Ranks.</p><table><tr><td><span id="lacuna-top-output"></span><code>--output &lt;file&gt;</code></td>\n<td>where</td></tr></table>`
  expect(splitCommands('/a/reference/commands.md', html)).toEqual([
    { anchor: '', titles: ['Commands'], text: 'Commands' },
    { anchor: 'lacuna-top', titles: ['Commands', 'lacuna top'], text: expect.stringContaining('Ranks.') },
    {
      anchor: 'lacuna-top-output',
      titles: ['Commands', 'lacuna top', '--output &lt;file&gt;'],
      text: 'where',
    },
  ])
  expect(splitCommands('/a/docs/api.md', html)).toBe(undefined)
  const pages = ['/reference/commands.html#a', '/docs/tour/', '/docs/data.html', '/docs/api.html#complete']
  const boosts = pages.map((page) => boostOf(page))
  expect(boosts).toEqual(boosts.toSorted((a, b) => b - a))
})

it('scripts of the site compute its base when they run', () => {
  const base = '/__LACUNA_BASE__/'
  const script = `({ a: "${base}x", b: '${base}', c: \`<a href="${base}y">\`, d: JSON.parse("{\\"base\\":\\"${base}\\"}"), e: "z" })`
  Object.assign(globalThis, { __lacunaBase: '/some/folder/' })
  expect(runInThisContext(replaceInScript(script))).toEqual({
    ...{ a: '/some/folder/x', b: '/some/folder/', c: '<a href="/some/folder/y">' },
    ...{ d: { base: '/some/folder/' }, e: 'z' },
  })
})

it('the lock file of the site names no host, and has every package, of all systems, with a hash', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'site/package-lock.json'), 'utf8'))
  const all = Object.entries<{ resolved?: string; integrity?: string; optionalDependencies?: object }>(
    packages,
  ).filter(([path]) => path !== '')
  expect(all.length).toBeGreaterThan(50)
  expect(all.filter(([, { resolved, integrity }]) => resolved !== undefined || !integrity)).toEqual([])
  // npm ci refuses a lock file without them.
  const missing = all.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`${path}/node_modules/${name}`] === undefined &&
        packages[`node_modules/${name}`] === undefined,
    ),
  )
  expect(missing).toEqual([])
})

it('work that is asked for while it runs is done once more at the end', async () => {
  const begun: number[] = []
  let value = 1
  let finish: () => void = () => {}
  const run = runLatest(() => {
    begun.push(value)
    return new Promise<void>((resolve) => {
      finish = resolve
    })
  })
  const ended = run()
  value = 2
  await run()
  value = 3
  await run()
  finish()
  await Promise.resolve()
  await Promise.resolve()
  finish()
  await ended
  expect(begun).toEqual([1, 3])
})
