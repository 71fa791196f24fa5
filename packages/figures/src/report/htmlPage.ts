/** The kit of all HTML pages that Lacuna writes: each is one file without scripts, links or requests. */

/** Colours and layout that all pages share, on light and dark screens. */
const BASE_CSS = `
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d8dee4; --ground: #ffffff; --box: #f6f8fa;
  --good: #0a7d55; --bad: #b3400a; --own: #0072b2; --usual: #d55e00; --grey: #8b949e; --bar: #cfe4f3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --ground: #0d1117; --box: #161b22;
  --good: #35cfa0; --bad: #ff8f45; --own: #6cc0f0; --usual: #ff8f45; --grey: #6e7681; --bar: #1d3f58; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .8rem; overflow-wrap: anywhere; }
.soft, footer { color: var(--soft); font-size: .87rem; max-width: 52rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
@media print { main { max-width: none; padding: 0; } }
`

/** Content of a page. */
export interface HtmlPage {
  /** Title of the document, as plain text. */
  title: string
  /** Rules beside those that all pages share. */
  css?: string
  /** HTML of the page; texts in it are escaped already. */
  body: string
}

/** Returns a whole HTML document with the style of all pages. */
export const htmlPage = ({ title, css = '', body }: HtmlPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${BASE_CSS}${css}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/** Escapes text for HTML, also within attributes in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)
