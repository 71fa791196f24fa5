/** Self-contained HTML pages about a model, and their plots. */
export { componentsPage } from './componentsPage.ts'
export { describeComponents, type ModelDescription } from './describeComponents.ts'
export { escapeHtml, htmlPage } from './htmlPage.ts'
