/** A matrix of the tensor as colours. */
import { formatCount, formatNumber, formatPercent } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import type { Slice } from '../answers.ts'
import { ColourLegend, Heatmap } from './Heatmap.tsx'
import type { ExploreProps } from './shared/exploreProps.ts'
import { LabelField } from './shared/LabelField.tsx'
import { useAnswer } from './shared/useAnswer.ts'

/**
 * Fields that choose two modes and fix the others; heat maps of the observed and the predicted values, and of
 * the part that is due to the chosen component.
 */
export function SliceCard({ model, labels, onLabel, chosen, tables, call }: ExploreProps) {
  const [rowMode, setRowMode] = useState(0)
  const [columnMode, setColumnMode] = useState(1)
  const others = model.modes.map((_, mode) => mode).filter((mode) => mode !== rowMode && mode !== columnMode)
  const fixed = others.map((mode) => labels[mode]).join('\n')
  const { value: slice } = useAnswer(
    () => call.slice(labels, rowMode, columnMode, chosen),
    [rowMode, columnMode, fixed, model, chosen, tables],
  )
  const choose = (mode: number, as: 'rows' | 'columns'): void => {
    // The two modes differ: choosing the other one exchanges them.
    if (as === 'rows') {
      if (mode === columnMode) setColumnMode(rowMode)
      setRowMode(mode)
    } else {
      if (mode === rowMode) setRowMode(columnMode)
      setColumnMode(mode)
    }
  }
  const describe = (cell: number): string[] => (slice ? describeCell(slice, cell, model.observed) : [])
  const most = slice ? Math.max(largest(slice.observed), largest(slice.predicted)) : 1
  return (
    <div class="stack">
      <div class="pair wide">
        {(['rows', 'columns'] as const).map((as) => (
          <label class="field" key={as}>
            <span class="field-head">{as === 'rows' ? 'Down' : 'Across'}</span>
            <select
              value={as === 'rows' ? rowMode : columnMode}
              onChange={({ currentTarget }) => choose(Number(currentTarget.value), as)}
            >
              {model.modes.map(({ name }, mode) => (
                <option key={name} value={mode}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ))}
        {others.map((mode) => (
          <LabelField
            key={mode}
            {...model.modes[mode]}
            value={labels[mode]}
            onChange={(value) => onLabel(mode, value)}
            suggest={(text) => call.suggest(mode, text)}
          />
        ))}
      </div>
      {slice && (
        <>
          <ColourLegend most={most} isHatched={model.observed && slice.observed.some(Number.isNaN)} />
          <div class={model.observed ? 'heatmaps two' : 'heatmaps'}>
            {model.observed && (
              <Heatmap title="Observed" {...{ ...slice, most, values: slice.observed, describe }} />
            )}
            <Heatmap title="Predicted" {...{ ...slice, most, values: slice.predicted, describe }} />
            {slice.component && chosen !== undefined && (
              <div class="lit">
                <Heatmap
                  title={`Due to component ${chosen}`}
                  {...{
                    ...slice,
                    most,
                    values: slice.component,
                    describe,
                  }}
                />
              </div>
            )}
          </div>
          <p class="soft small">Point at a cell to read it.{hiddenText(slice)}</p>
        </>
      )}
    </div>
  )
}

/** The lines of a cell's tip. @param hasData whether it is known which cells were observed */
function describeCell({ predicted, observed, component }: Slice, cell: number, hasData: boolean): string[] {
  const isKnown = !Number.isNaN(observed[cell])
  return [
    `predicted ${formatNumber(predicted[cell])}`,
    ...(isKnown ? [`observed ${formatNumber(observed[cell])}`] : hasData ? ['not observed'] : []),
    ...(component
      ? [
          `due to the component: ${formatPercent(predicted[cell] > 0 ? component[cell] / predicted[cell] : 0)}`,
        ]
      : []),
  ]
}

/** A sentence about rows and columns that are not shown; empty if all are. */
function hiddenText({ hiddenRows, hiddenColumns }: Slice): string {
  if (hiddenRows + hiddenColumns === 0) return ''
  return ` Shown are those with most entries; ${formatCount(hiddenRows)} rows and ${formatCount(hiddenColumns)} columns are not.`
}

/** The largest of the values and 0; NaN is ignored. */
function largest(values: Float32Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}
