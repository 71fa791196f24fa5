/** Entry point of the page: loads the style sheets, renders the App and installs the service worker. */
import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/charts.css'
import './styles/shell.css'
import './styles/home.css'
import './styles/restore.css'
import './styles/complete.css'
import './styles/explorer.css'
import './styles/paper.css'
import { App } from './App.tsx'
import { installServiceWorker } from './offline/install.ts'

render(<App />, document.getElementById('studio')!)
void installServiceWorker()
