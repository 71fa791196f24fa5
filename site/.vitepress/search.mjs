// The search of the site: every option of the commands is a result of its own, and pages for use come before the API.
// @ts-check

/** The text of HTML. @param {string} html */
const textOf = (html) => html.replace(/<[^>]*>/g, ' ').trim()

/**
 * The sections of the reference of commands: one for each command, and one for each of its options. VitePress would have one
 * for each command, in which the options drown. Other pages: undefined, for which VitePress takes its own.
 * @param {string} path @param {string} html
 */
export function splitCommands(path, html) {
  if (!path.replaceAll('\\', '/').endsWith('reference/commands.md')) return undefined
  const [head, ...commands] = html.split(/(?=<h2 )/)
  const sections = [{ anchor: '', titles: ['Commands'], text: textOf(head) }]
  for (const command of commands) {
    const [, anchor, heading] = /^<h2 id="([^"]*)"[^>]*>(.*?)<a /.exec(command) ?? []
    const titles = ['Commands', textOf(heading)]
    const rows = [
      ...command.matchAll(/<span id="([^"]*)"><\/span>(<code.*?<\/code>)<\/td>\s*<td>(.*?)<\/td>/gs),
    ]
    sections.push({ anchor, titles, text: textOf(command.replace(/<table[\s\S]*?<\/table>/g, '')) })
    for (const [, option, name, meaning] of rows)
      sections.push({ anchor: option, titles: [...titles, textOf(name)], text: textOf(meaning) })
  }
  return sections
}

/**
 * The weight of a page among the results: commands and tour first, the API and records of measurements last. It runs in the
 * browser, as a copy of its text, so that it names nothing outside itself. @param {string} id the address of a section
 */
export function boostOf(id) {
  if (/reference\/commands/.test(id)) return 3
  if (/docs\/tour|\/paths\//.test(id)) return 1.5
  return /docs\/api|CHANGELOG|bench\/peers/.test(id) ? 0.4 : 1
}
