// The website. scripts/site.mjs stages the pages, runs this build, and makes its addresses relative.
// @ts-check
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { boostOf, splitCommands } from './search.mjs'

/** The address of the repository, if the library's package.json has one, as in a release; scripts/site.mjs runs in the root. */
const { repository } = JSON.parse(readFileSync('packages/lacuna/package.json', 'utf8'))
const repositoryLink = (repository?.url ?? repository)?.replace(/^git\+|\.git$/g, '')

/** The anchor of a heading, as GitHub makes it: links in the sources work on both. @param {string} heading */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The beginning of an example that is a command. */
const COMMAND = /^(lacuna|npm|npx|mpirun|srun|docker|pip|curl|python3) /

const use = [
  { text: 'Tour: eleven tasks', link: '/docs/tour/' },
  { text: 'Tables and data', link: '/docs/data' },
  { text: 'Answers', link: '/docs/answers' },
  { text: 'Search for the best model', link: '/docs/best' },
  { text: 'Pictures', link: '/docs/images' },
  { text: 'Python', link: '/docs/python' },
  { text: 'Studio', link: '/docs/studio' },
  { text: 'Public data sets', link: '/docs/datasets' },
]
const build = [
  { text: 'Packages', link: '/docs/packages' },
  { text: 'API', link: '/docs/api' },
  { text: 'Runs and checkpoints', link: '/docs/runs' },
  { text: 'Server', link: '/docs/serve' },
  { text: 'File formats', link: '/docs/formats' },
  { text: 'Versions', link: '/docs/versions' },
]
const method = [
  { text: 'Algorithm of the paper', link: '/docs/algorithm' },
  { text: 'Solver', link: '/docs/solver' },
  { text: 'Accuracy', link: '/docs/accuracy' },
  { text: 'The paper, reproduced', link: '/docs/paper' },
  { text: 'Side by side with others', link: '/bench/peers/README' },
  { text: 'Engine', link: '/docs/engine' },
  { text: 'GPU', link: '/docs/gpu' },
  { text: 'Scale', link: '/docs/scale' },
  { text: 'Memory', link: '/docs/memory' },
]
const about = [
  { text: 'Readme: all features', link: '/readme' },
  { text: 'When not to use Lacuna', link: '/when-not' },
  { text: 'Coming from …', link: '/coming-from' },
  { text: 'Environments', link: '/docs/environments' },
  { text: 'Security', link: '/SECURITY' },
  { text: 'Contributing', link: '/CONTRIBUTING' },
  { text: 'Glossary', link: '/docs/glossary' },
  { text: 'Changelog', link: '/CHANGELOG' },
]

/** The icon of the studio as a data address: a relative one would be wrong after navigation to another folder. */
const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync('packages/studio/src/icon.svg', 'utf8'))}`

/**
 * Gives indented code the look and the copy button of fenced code. Commands wrap on narrow screens, so their comments are not
 * aligned, and no line ends within an option. @param {import('vitepress').MarkdownRenderer} md
 */
function changeExamples(md) {
  md.core.ruler.push('fence_indented_code', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === 'code_block') {
        token.type = 'fence'
        token.info = COMMAND.test(token.content) ? 'sh' : 'txt'
      }
      if (token.info.startsWith('sh')) token.content = token.content.replace(/ {2,}# /g, '  # ')
    }
  })
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const html = fence?.(tokens, index, ...rest) ?? ''
    return tokens[index].info.startsWith('sh')
      ? html.replace(/(>\s*)(--?[a-zA-Z][\w-]*)(?=<)/g, '$1<span class="option">$2</span>')
      : html
  }
  const { code_inline: codeInline } = md.renderer.rules
  md.renderer.rules.code_inline = (...args) =>
    (codeInline?.(...args) ?? '').replace(
      /(>|\s)(--?[a-zA-Z][\w-]*)(?=[<\s=])/g,
      '$1<span class="option">$2</span>',
    )
}

/** Width and height of the staged pictures, by their paths in the folder of the pages (scripts/site.mjs). */
const sizes = JSON.parse(readFileSync(new URL('./sizes.json', import.meta.url), 'utf8'))

/** Gives pictures their width and height, so that text does not move when they arrive. @param {import('vitepress').MarkdownRenderer} md */
function setSizes(md) {
  md.core.ruler.push('picture_sizes', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const size =
        token.type === 'image' && sizes[join(dirname(env.relativePath), token.attrGet('src') ?? '')]
      if (!size) continue
      token.attrSet('width', String(size[0]))
      token.attrSet('height', String(size[1]))
    }
  })
}

export default defineConfig({
  title: 'Lacuna',
  description:
    'Sparse nonnegative CP (PARAFAC) tensor completion: learns from the cells there are, predicts the others.',
  base: '/__LACUNA_BASE__/',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  outDir: '../dist',
  srcExclude: ['public/**'],
  cacheDir: '../node_modules/.cache',
  // test/docs/links.test.ts checks every link and anchor, in the sources.
  ignoreDeadLinks: true,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    toc: { slugify },
    image: { lazyLoading: true },
    config: (md) => {
      changeExamples(md)
      setSizes(md)
    },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 }, logLevel: 'warn' },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: { boost: { title: 4 }, boostDocument: boostOf },
          _splitIntoSections: splitCommands,
        },
      },
    },
    notFound: {
      title: 'There is no such page',
      quote: 'The address may be mistyped, or the page has moved.',
      linkLabel: 'the home page of Lacuna',
      linkText: 'To the home page',
    },
    outline: [2, 3],
    nav: [
      { text: 'Gallery', link: '/gallery' },
      { text: 'Tour', link: '/docs/tour/' },
      { text: 'Commands', link: '/reference/commands' },
      { text: 'API', link: '/docs/api' },
      { text: 'Try your file', link: '/studio/index.html', target: '_self', rel: '' },
    ],
    socialLinks: repositoryLink ? [{ icon: 'github', link: repositoryLink }] : undefined,
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'I have a table', link: '/paths/table' },
          { text: 'I build an app', link: '/paths/app' },
          { text: 'I am a scientist', link: '/paths/scientist' },
          { text: 'I study the method', link: '/paths/method' },
          { text: 'Gallery', link: '/gallery' },
        ],
      },
      { text: 'Use', items: use },
      { text: 'Build', items: [{ text: 'Commands', link: '/reference/commands' }, ...build] },
      { text: 'Method', items: method },
      { text: 'About', items: about },
    ],
    footer: { message: 'MIT licence. This site makes no request to any other host.' },
  },
})
