import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/restore.css'
import './styles/complete.css'
import './styles/paper.css'
import { App } from './App.tsx'

render(<App />, document.getElementById('studio')!)
