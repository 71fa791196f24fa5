/** Shows a report of `lacuna paper`. */
import { convergenceFigure, imageFigure, secondsFigure, speedUpFigure } from 'lacuna-figures/paper'
import type { Claim, PaperResults } from 'lacuna-figures/results'
import { useMemo } from 'preact/hooks'
import { Drawing } from './Drawing.tsx'

/** The words for each verdict. */
const VERDICTS: Record<Claim['verdict'], string> = {
  holds: 'holds',
  fails: 'does not hold',
  untested: 'not tested',
}

/**
 * URLs of the pictures beside a results.json, by file name. Pictures that were not opened with it are blank.
 */
export type ReportPictures = Readonly<Record<string, string>>

/** A transparent picture of one pixel. */
const BLANK = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Shows a report: the claims with their verdicts, and the figures that it has results for. */
export function Report({ results, pictures }: { results: PaperResults; pictures: ReportPictures }) {
  const { image, convergence, timing, claims, machine, scale } = results
  const links = useMemo(() => {
    if (!image) return undefined
    const restored = Object.fromEntries(image.runs.map((run) => [run.method, pictures[run.picture] ?? BLANK]))
    return {
      original: pictures[image.pictures.original] ?? BLANK,
      damaged: pictures[image.pictures.damaged] ?? BLANK,
      ...restored,
    }
  }, [image, pictures])
  const blank = image && !pictures[image.pictures.original]
  return (
    <>
      <p class="soft small">
        Scale “{scale}”, seed {results.seed}, by lacuna {results.lacuna} on {machine.cpu}, {machine.cores}{' '}
        cores.
      </p>
      <ul class="claims">
        {claims.map(({ id, statement, verdict, evidence }) => (
          <li key={id} class={verdict}>
            <b>{VERDICTS[verdict]}</b>
            <span>
              {statement} <small class="soft">{evidence}</small>
            </span>
          </li>
        ))}
      </ul>
      <div class="report-figures">
        {image && links && (
          <Drawing title="Figure 1" draw={() => imageFigure(image, links, document)} inputs={[image, links]}>
            {blank && (
              <small class="soft">Open the pictures beside results.json with it to see them here.</small>
            )}
          </Drawing>
        )}
        {convergence && (
          <Drawing
            title="Figure 2"
            draw={() => convergenceFigure(convergence, document)}
            inputs={[convergence]}
          />
        )}
        {timing && (
          <Drawing title="Figure 3" draw={() => secondsFigure(timing, document)} inputs={[timing]} />
        )}
        {timing && (
          <Drawing title="Figure 4" draw={() => speedUpFigure(timing, document)} inputs={[timing]} />
        )}
      </div>
    </>
  )
}
