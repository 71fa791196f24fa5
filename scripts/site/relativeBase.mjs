// Makes the addresses of the built site relative, so that it can be served under any path: VitePress knows only one base,
// which is fixed when it builds. It builds with a placeholder; here HTML and CSS get relative addresses, and scripts the
// base that a line in the head of each page computes from the page's own address and depth.
// @ts-check
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const PLACEHOLDER = '/__LACUNA_BASE__/'
const BASE = 'globalThis.__lacunaBase'

/** @param {string} folder the built site */
export function makeRelative(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  )
  for (const name of files) {
    const path = join(folder, name)
    const kind = /\.(html|css|js)$/.exec(name)?.[1]
    if (!kind || /^(studio|live)\//.test(name)) continue
    const text = readFileSync(path, 'utf8')
    if (kind !== 'html' && !text.includes(PLACEHOLDER)) continue
    const up = posix.relative(posix.dirname(name), '.') || '.'
    if (kind === 'css') writeFileSync(path, text.replaceAll(PLACEHOLDER, `${up}/`))
    else if (kind === 'js') writeFileSync(path, replaceInScript(text))
    else if (text.includes('__VP_')) writeFileSync(path, replaceInPage(text, up))
  }
}

/** The text of a script in which the base is computed when it runs. @param {string} text */
export function replaceInScript(text) {
  /** @type {{ start: number, end: number, text: string }[]} */
  const edits = []
  const visit = (/** @type {any} */ node) => {
    if (!node || typeof node !== 'object') return
    if (Array.isArray(node)) return void node.forEach(visit)
    const raw = text.slice(node.start, node.end)
    if (node.type === 'Literal' && typeof node.value === 'string' && raw.includes(PLACEHOLDER)) {
      const quote = raw[0]
      edits.push({ ...node, text: `(${raw.replaceAll(PLACEHOLDER, `${quote}+${BASE}+${quote}`)})` })
    } else if (node.type === 'TemplateElement' && raw.includes(PLACEHOLDER))
      edits.push({ ...node, text: raw.replaceAll(PLACEHOLDER, `\${${BASE}}`) })
    else for (const key of Object.keys(node)) if (key !== 'type') visit(node[key])
  }
  visit(parseAst(text).body)
  for (const { start, end, text: by } of edits.sort((a, b) => b.start - a.start))
    text = `${text.slice(0, start)}${by}${text.slice(end)}`
  return text
}

/** The text of a page with relative addresses. @param {string} text @param {string} up the way to the root of the site */
function replaceInPage(text, up) {
  const head = `<script>${BASE}=new URL("${up}/",location.href).pathname</script>`
  return text
    .replace(
      /<script([^>]*)>([^<]*__LACUNA_BASE__[^<]*)<\/script>/g,
      (_, attributes, code) => `<script${attributes}>${replaceInScript(code)}</script>`,
    )
    .replaceAll(PLACEHOLDER, `${up}/`)
    .replace(/<head>/, `<head>${head}`)
}
