/** The first screen: what this is, one place for any file, and examples that run with one click. */
import { type Example, examples } from '../examples/index.ts'
import { FilesButton } from '../widgets/FileDrop.tsx'
import { ExampleIcon } from './ExampleIcon.tsx'
import { Healing } from './Healing.tsx'

interface Props {
  /** Opens files in the view for their kind. */
  onFiles(files: File[]): void
  onExample(example: Example): void
  /** The example that is being opened. */
  opening: Example | undefined
}

/** The first screen. */
export function HomeView({ onFiles, onExample, opening }: Props) {
  return (
    <div class="home">
      <div class="home-top">
        <div class="stack home-words">
          <h2 class="home-title">Lacuna fills what is missing, in pictures and in tables.</h2>
          <p class="home-lead">
            It learns from what is there, infers the rest, and says how good that is.{' '}
            <b>Nothing that you open leaves your machine.</b>
          </p>
          <div class="home-drop">
            <FilesButton accept="" label="Open a file …" onFiles={onFiles} primary />
            <p class="soft small">
              or drop it anywhere on this page, or paste it: a picture, a table with gaps (.csv, .xlsx,
              .parquet …), an array (.npy, .mat, .h5 …) or a saved model.
            </p>
          </div>
        </div>
        <Healing />
      </div>
      <section class="stack tight" aria-labelledby="examples-title">
        <h2 id="examples-title">Or begin with an example: one click, an answer in seconds</h2>
        <ul class="examples">
          {examples.map((example) => (
            <li key={example.id}>
              <button
                type="button"
                class="example"
                disabled={opening !== undefined}
                aria-busy={opening === example}
                title={example.note}
                onClick={() => onExample(example)}
              >
                <ExampleIcon name={example.id} />
                <span class="example-title">{example.title}</span>
                <span class="soft small">{example.text}</span>
              </button>
            </li>
          ))}
        </ul>
        <p class="soft small">
          The examples work offline. Pictures, metro, winds and spectra are real (
          <a href="./data-licenses.md">sources and licences</a>); the films’ titles are, their ratings are
          simulated.
        </p>
      </section>
    </div>
  )
}
