// The default theme without its fonts, with the components of the home page and rules for printing.
// @ts-check
import DefaultTheme from 'vitepress/theme-without-fonts'
import LiveCompletion from './LiveCompletion.vue'
import SourceLink from './SourceLink.js'
import './site.css'

export default {
  extends: DefaultTheme,
  /** @param {{ app: import('vue').App }} context */
  enhanceApp({ app }) {
    app.component('LiveCompletion', LiveCompletion)
    app.component('SourceLink', SourceLink)
  },
}
