/** The Complete view before a file is opened. */
import { FileDrop } from '../../widgets/index.ts'
import { ACCEPT } from './accept.ts'

/** A drop target for a file, and the sample. */
export function Welcome({ onFile, onSample }: { onFile(file: File): void; onSample(): void }) {
  return (
    <div class="welcome">
      <FileDrop accept={ACCEPT} label="Open a file …" onFile={onFile}>
        <h2>Drop a table or a tensor with gaps</h2>
        <p class="soft">
          A <code>.csv</code>, <code>.xlsx</code>, <code>.json</code>, <code>.parquet</code> or{' '}
          <code>.feather</code> of ratings, counts or readings, or a table that you paste; a <code>.tns</code>
          ; a <code>.npy</code> or <code>.npz</code> of NumPy’s, a <code>.mat</code>, <code>.h5</code> or{' '}
          <code>.nc</code>; or a model that Lacuna saved.
        </p>
      </FileDrop>
      <div class="stack tight">
        <p class="soft">or begin with an example</p>
        <button type="button" class="button" onClick={onSample}>
          Bicycle trips in a made-up town
        </button>
        <p class="soft small">
          Metro, films, sea winds and spectra are on the <a href="#home">first screen</a>.
        </p>
      </div>
    </div>
  )
}
