/** Writes results.json, the figures and report.html into the folder of a run. */
import { join } from 'node:path'
import { prepareReplacement, replaceFiles } from 'lacuna/internal'
import { formatResults, type PaperResults } from 'lacuna-figures/results'
import { reportHtml } from './html.ts'
import { renderFigures, toPng } from './render.ts'

/**
 * Writes report.html, results.json, and each figure as SVG and PNG, together.
 * @returns the names of the files, the report first
 */
export async function writeReport(results: PaperResults, folder: string): Promise<string[]> {
  const figures = await renderFigures(results, folder)
  const contents: [name: string, content: string | Uint8Array][] = [
    ['report.html', reportHtml(results, figures)],
    ['results.json', formatResults(results)],
  ]
  for (const { number, svg } of figures)
    contents.push([`figure${number}.svg`, `${svg}\n`], [`figure${number}.png`, await toPng(svg)])
  await replaceFiles(
    contents.map(([name, content]) =>
      prepareReplacement(join(folder, name), [
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
      ]),
    ),
  )
  return contents.map(([name]) => name)
}
