/** Entry point of the page: loads the style sheets and renders the App. */
import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/restore.css'
import './styles/complete.css'
import './styles/paper.css'
import { App } from './App.tsx'

// A file that is dropped outside a drop target must not make the browser leave the page.
for (const event of ['dragover', 'drop']) addEventListener(event, (drop) => drop.preventDefault())

render(<App />, document.getElementById('studio')!)
