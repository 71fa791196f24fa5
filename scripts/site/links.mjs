// The broken links of the built site: addresses of pages, pictures and scripts that are no files of it, and anchors that their
// pages do not have.
// @ts-check
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

/** @param {string} folder the built site @returns {{ links: number, broken: string[] }} how many there are, and the broken ones */
export function checkLinks(folder) {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.html') && !name.startsWith('studio/'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
  const anchors = new Map([...pages].map(([name, html]) => [name, new Set(attributes(html, 'id'))]))
  const links = [...pages].flatMap(([name, html]) =>
    attributes(html, 'href|src').map((link) => ({ name, link })),
  )
  const inside = links.filter(({ link }) => !/^(\w+:|$)/.test(link))
  const broken = inside.filter(({ name, link }) => {
    const [path, anchor] = link.split('#').map(decodeURIComponent)
    const target = path === '' ? name : posix.join(posix.dirname(name), path)
    const isFolder = existsSync(join(folder, target)) && statSync(join(folder, target)).isDirectory()
    const file = isFolder ? posix.join(target, 'index.html') : target
    return (
      // 404.html is served below any folder, and has no relative address.
      (path.startsWith('/') && name !== '404.html') ||
      !existsSync(join(folder, file)) ||
      (anchor && !(anchors.get(file)?.has(anchor) ?? true))
    )
  })
  return {
    links: inside.length,
    broken: broken.map(({ name, link }) => `${name} has a broken link to ${link}`),
  }
}

/** The values of attributes. @param {string} html @param {string} names */
const attributes = (html, names) =>
  [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, value]) =>
    value.replaceAll('&amp;', '&'),
  )
