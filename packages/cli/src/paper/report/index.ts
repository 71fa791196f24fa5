/** Writes results.json, the figures and report.html into the folder of a run. */
import { join } from 'node:path'
import { writeFileWhole } from 'lacuna/internal'
import { formatResults, type PaperResults } from 'lacuna-figures/results'
import { reportHtml } from './html.ts'
import { renderFigures, toPng } from './render.ts'

/**
 * Writes report.html, results.json, and each figure as SVG and PNG.
 * @returns the names of the files, the report first
 */
export async function writeReport(results: PaperResults, folder: string): Promise<string[]> {
  const files: string[] = []
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    await writeFileWhole(join(folder, name), [bytes])
    files.push(name)
  }
  const figures = await renderFigures(results, folder)
  await write('report.html', reportHtml(results, figures))
  await write('results.json', formatResults(results))
  for (const { number, svg } of figures) {
    await write(`figure${number}.svg`, `${svg}\n`)
    await write(`figure${number}.png`, await toPng(svg))
  }
  return files
}
