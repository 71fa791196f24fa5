// How pages of the site print: dark text on white paper in dark mode, too, the addresses of links to other sites, no menus.
// @ts-check

/** Pages with links to other sites, and the most sheets of paper that they may take. */
const PAGES = /** @type {const} */ ([
  ['gallery.html', 14],
  ['docs/data.html', 40],
])
/** The lightest text that reads well on white paper: a fraction of white. */
const LIGHTEST_TEXT = 0.5

/** What a page shows when it is printed; runs in it. */
const LOOK = `(() => {
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\\d.]+/g).map(Number)
    return (0.3 * red + 0.6 * green + 0.1 * blue) / 255
  }
  const isShown = (node) => node.getClientRects().length > 0
  const all = (selector) => [...document.querySelectorAll(selector)]
  const links = all('.vp-doc a[href^="http"]:not(:has(img, svg))')
  const showsAddress = (link) => {
    const { content, maskImage, display, width } = getComputedStyle(link, '::after')
    return content.includes(link.getAttribute('href')) && maskImage === 'none' && display === 'inline' && width === 'auto'
  }
  const texts = all('.vp-doc :is(h1, p, li, td, code, a, .vp-code span)').filter(isShown)
  return {
    text: Math.max(...texts.map((node) => luminance(getComputedStyle(node).color))),
    paper: luminance(getComputedStyle(document.body).backgroundColor),
    links: links.length,
    hidden: links.filter((link) => !showsAddress(link)).map(({ href }) => href),
    menus: all('.VPNav, .VPSidebar, .VPDocAside').filter(isShown).length,
  }
})()`

/**
 * Prints pages in dark mode.
 * @param {import('playwright-core').Browser} browser @param {string} url @param {string[]} faults
 * @param {string} [pictures] a folder for screenshots
 */
export async function checkPrint(browser, url, faults, pictures) {
  const page = await browser.newPage({ colorScheme: 'dark', viewport: { width: 800, height: 1100 } })
  for (const [path, most] of PAGES) {
    await page.goto(`${url}${path}`, { waitUntil: 'load' })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const { text, paper, links, hidden, menus } = await page.evaluate(LOOK)
    if (text > LIGHTEST_TEXT) faults.push(`${path} prints text of ${Math.round(100 * text)}% of white`)
    if (paper < 0.99) faults.push(`${path} prints on dark paper`)
    if (links === 0) faults.push(`${path} has no link to another site, to see how it prints`)
    for (const link of hidden) faults.push(`${path} prints no address for its link to ${link}`)
    if (menus > 0) faults.push(`${path} prints menus`)
    if (pictures) await page.screenshot({ path: `${pictures}/${path.replace(/\W/g, '-')}-print.png` })
    const sheets =
      (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
    console.log(`${path} prints on ${sheets} sheets, with the addresses of ${links} links.`)
    if (sheets === 0 || sheets > most) faults.push(`${path} prints on ${sheets} sheets`)
  }
  await page.close()
}
