/** A page that tries the service: one document with its own style and script, which nothing else is loaded for. */
import { createHash } from 'node:crypto'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
label { display: block; margin-top: 1rem; font-weight: 600; }
select, input, textarea, button { font: inherit; padding: .4rem; width: 100%; box-sizing: border-box; }
textarea, pre { font: 14px/1.4 ui-monospace, monospace; }
textarea { min-height: 6rem; }
summary { margin-top: 1rem; }
button { width: auto; margin-top: 1rem; padding: .4rem 1.5rem; }
pre { overflow: auto; padding: 1rem; border: 1px solid #8886; min-height: 3rem; }
`

const script = `
const at = (id) => document.getElementById(id)
let models = []
const examples = {
  predict: (m) => ({ cells: [Object.fromEntries(m.modes.map((mode) => [mode.name, mode.first]))] }),
  top: (m) => ({ of: m.modes[1].name, for: { [m.modes[0].name]: m.modes[0].first }, n: 5 }),
  similar: (m) => ({ mode: m.modes[1].name, label: m.modes[1].first, n: 5 }),
  components: () => ({ strongest: 3 }),
  'fold-in': (m) => ({
    entries: [{ ...Object.fromEntries(m.modes.map((mode) => [mode.name, mode.first])), [m.modes[0].name]: 'new', [m.value]: m.range ? m.range[1] : 1 }],
    top: { of: m.modes[1].name, for: { [m.modes[0].name]: 'new' }, n: 5 },
  }),
  evaluate: (m) => ({ entries: [{ ...Object.fromEntries(m.modes.map((mode) => [mode.name, mode.first])), [m.value]: 1 }] }),
}
async function ask(path, body) {
  const headers = { 'Content-Type': 'application/json' }
  if (at('token').value) headers.Authorization = 'Bearer ' + at('token').value
  const started = performance.now()
  const response = await fetch(path, { method: body === undefined ? 'GET' : 'POST', headers, body })
  const text = await response.text()
  at('status').textContent = response.status + ', ' + Math.round(performance.now() - started) + ' ms'
  return text
}
const show = (text) => {
  try { at('answer').textContent = JSON.stringify(JSON.parse(text), null, 2) } catch { at('answer').textContent = text }
}
function example() {
  const model = models.find(({ name }) => name === at('model').value)
  at('answer').textContent = ''
  at('status').textContent = ''
  if (!model) return
  const text = JSON.stringify(examples[at('operation').value](model), null, 2)
  at('body').value = text
  at('body').rows = text.split('\\n').length + 1
}
async function list() {
  const answer = JSON.parse(await ask('v1/models'))
  models = answer.models ?? []
  at('model').replaceChildren(...models.map(({ name }) => new Option(name)))
  example()
  // Without the token that this server needs, there is no list.
  if (answer.models) return
  at('access').open = true
  show(JSON.stringify(answer))
}
at('operation').replaceChildren(...Object.keys(examples).map((name) => new Option(name)))
at('operation').onchange = at('model').onchange = example
at('token').onchange = list
at('form').onsubmit = async (event) => {
  event.preventDefault()
  const path = 'v1/models/' + encodeURIComponent(at('model').value) + '/' + at('operation').value
  show(await ask(path, at('body').value))
}
list()
`

/** The page. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lacuna</title>
<style>${style}</style>
<h1>Lacuna</h1>
<p>Ask the models of this server. <a href="openapi.json">openapi.json</a> describes every operation.</p>
<form id="form">
<label for="model">Model</label><select id="model"></select>
<label for="operation">Operation</label><select id="operation"></select>
<label for="body">Request</label><textarea id="body" spellcheck="false"></textarea>
<details id="access"><summary>Token, if the server needs one</summary>
<input id="token" type="password" autocomplete="off" aria-label="Token"></details>
<button>Ask</button> <span id="status" role="status"></span>
</form>
<h2>Answer</h2>
<pre id="answer"></pre>
<script>${script}</script>
</html>
`

/** The source expression that admits an inline style or script of exactly this text. */
const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The content security policy of the page: its own style and script, and requests to this server. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hash(style)}`,
  `script-src ${hash(script)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
