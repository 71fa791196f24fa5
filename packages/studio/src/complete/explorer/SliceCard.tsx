/** A matrix of the tensor as colours. */

import { formatCount, formatNumber } from 'lacuna-figures/numbers'
import { useEffect, useState } from 'preact/hooks'
import type { Slice } from '../protocol.ts'
import type { ExploreProps } from './exploreProps.ts'
import { Heatmap } from './Heatmap.tsx'
import { LabelField } from './LabelField.tsx'

/** Fields that choose two modes and fix the others; heat maps of the observed and the predicted values. */
export function SliceCard({ model, labels, onLabel, call }: ExploreProps) {
  const order = model.modes.length
  const [rowMode, setRowMode] = useState(0)
  const [columnMode, setColumnMode] = useState(1)
  const [slice, setSlice] = useState<Slice>()
  const [cell, setCell] = useState<{ row: number; column: number }>()
  const others = model.modes.map((_, mode) => mode).filter((mode) => mode !== rowMode && mode !== columnMode)
  const fixed = others.map((mode) => labels[mode]).join('\n')

  useEffect(() => {
    let current = true
    call.slice(labels, rowMode, columnMode).then(
      (found) => current && setSlice(found),
      // While the user types a label, there is no such row.
      () => {},
    )
    return () => {
      current = false
    }
  }, [rowMode, columnMode, fixed, model])

  const choose = (mode: number, as: 'rows' | 'columns'): void => {
    // The two modes differ: choosing the other one exchanges them.
    if (as === 'rows') {
      if (mode === columnMode) setColumnMode(rowMode)
      setRowMode(mode)
    } else {
      if (mode === rowMode) setRowMode(columnMode)
      setColumnMode(mode)
    }
    setCell(undefined)
  }
  const most = slice ? Math.max(largest(slice.observed), largest(slice.predicted)) : 1
  const at = cell && slice && cell.row * slice.columns.length + cell.column
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
          <div class={model.observed ? 'heatmaps two' : 'heatmaps'}>
            {model.observed && (
              <Heatmap title="Observed" {...slice} values={slice.observed} most={most} onPoint={setCell} />
            )}
            <Heatmap title="Predicted" {...slice} values={slice.predicted} most={most} onPoint={setCell} />
          </div>
          <p class="soft small readout">
            {at !== undefined && cell
              ? `${slice.rows[cell.row]}, ${slice.columns[cell.column]}: predicted ${formatNumber(slice.predicted[at])}, ${
                  Number.isNaN(slice.observed[at])
                    ? 'not observed'
                    : `observed ${formatNumber(slice.observed[at])}`
                }`
              : `Colours run from 0 to ${formatNumber(most)}. Point at a cell to read it.${hiddenText(slice)}`}
          </p>
        </>
      )}
      {order > 2 && <p class="visually-hidden">The other modes are fixed by the fields above.</p>}
    </div>
  )
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
