/** Settings that few people need: checks, noise, loss, link, time and zeros. */
import type { LinkName, Loss, Noise } from 'lacuna/internal'
import { Slider } from '../../widgets/index.ts'
import type { LearnChoices } from './useLearnSettings.ts'

/** The settings behind “More”, for both kinds of runs. */
export function MoreSettings({ settings, change }: LearnChoices) {
  return (
    <details class="more">
      <summary>More</summary>
      <div class="group">
        <Slider
          label="Hold out to check"
          min={0}
          max={50}
          step={5}
          value={Math.round(100 * settings.heldOut)}
          text={`${Math.round(100 * settings.heldOut)}%`}
          onInput={(percent) => change({ heldOut: percent / 100 })}
        />
        <label class="field">
          <span class="field-head">Seed</span>
          <input
            type="number"
            min={0}
            value={settings.seed}
            onInput={({ currentTarget }) =>
              change({ seed: Math.max(0, Math.round(Number(currentTarget.value) || 0)) })
            }
          />
        </label>
        <Choice
          name="Folds"
          value={String(settings.folds ?? '')}
          options={[
            ['', 'none: Quick learns one model'],
            ['3', '3 models, each without a third'],
            ['5', '5 models, each without a fifth'],
            ['10', '10 models, each without a tenth'],
          ]}
          onChange={(text) => change({ folds: text === '' ? undefined : Number(text) })}
        />
        <Choice
          name="Cells that are not listed"
          value={settings.missing ?? ''}
          options={[
            ['', 'unknown'],
            ['zero', 'zero: nothing happened there'],
          ]}
          onChange={(text) => change({ missing: text === '' ? undefined : 'zero' })}
        />
        <Choice
          name="Noise"
          value={settings.noise ?? ''}
          options={[
            ['', 'estimated'],
            ['gaussian', 'the same everywhere'],
            ['poisson', 'grows with the value: counts'],
            ['row', 'differs by row'],
          ]}
          onChange={(text) => change({ noise: (text || undefined) as Noise | undefined })}
        />
        <Choice
          name="Loss"
          value={settings.loss ?? ''}
          options={[
            ['', 'squares'],
            ['huber', 'Huber: robust to outliers'],
          ]}
          onChange={(text) => change({ loss: (text || undefined) as Loss | undefined })}
        />
        <Choice
          name="Link"
          value={settings.link ?? ''}
          options={[
            ['', 'none: values as they are'],
            ['sqrt', '√x: large values count less'],
            ['log1p', 'log(1 + x): large values count much less'],
          ]}
          onChange={(text) => change({ link: (text || undefined) as LinkName | undefined })}
        />
        <label class="field">
          <span class="field-head">Lags</span>
          <input
            placeholder="hour=1,24"
            value={settings.lags ?? ''}
            onChange={({ currentTarget }) => change({ lags: currentTarget.value.trim() || undefined })}
          />
          <small>Distances at which rows of a mode of time are similar.</small>
        </label>
      </div>
    </details>
  )
}

interface ChoiceProps {
  name: string
  value: string
  /** Values with their texts. */
  options: readonly (readonly [value: string, text: string])[]
  onChange(value: string): void
}

/** A select element of a few values; a value from the address that is not listed is added. */
function Choice({ name, value, options, onChange }: ChoiceProps) {
  const isListed = options.some(([listed]) => listed === value)
  return (
    <label class="field">
      <span class="field-head">{name}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {(isListed ? options : [...options, [value, value] as const]).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
