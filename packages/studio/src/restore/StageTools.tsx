/** The tools above the picture: what the pointer does, the brush, undo and redo. */
import { Segmented } from '../widgets/index.ts'
import type { Tool } from './stage/index.ts'

const tools = [
  { value: 'compare', text: 'Compare' },
  { value: 'brush', text: 'Brush' },
  { value: 'eraser', text: 'Eraser' },
] as const

const sides = [
  { value: 'Damaged', text: 'Damaged' },
  { value: 'Original', text: 'Original' },
] as const

interface Props {
  tool: Tool
  onTool(tool: Tool): void
  /** The diameter of the brush in pixels of the picture, and its largest value. */
  diameter: number
  mostBrush: number
  onDiameter(diameter: number): void
  /** The picture that the restored one is compared with; undefined if there is none. */
  against: 'Damaged' | 'Original'
  onAgainst?: (against: 'Damaged' | 'Original') => void
  canUndo: boolean
  canRedo: boolean
  onUndo(): void
  onRedo(): void
}

/** A row of tools. */
export function StageTools(props: Props) {
  const { tool, diameter, mostBrush, against, onAgainst } = props
  return (
    <div class="stage-tools">
      <Segmented label="Tool" choices={tools} value={tool} onChange={props.onTool} />
      {tool !== 'compare' && (
        <label class="brush-size">
          <span class="visually-hidden">Size of the brush</span>
          <input
            type="range"
            min={2}
            max={mostBrush}
            value={diameter}
            aria-valuetext={`${diameter} pixels`}
            style={{ '--filled': `${(100 * (diameter - 2)) / (mostBrush - 2)}%` }}
            onInput={({ currentTarget }) => props.onDiameter(Number(currentTarget.value))}
          />
          <span class="soft number">{diameter} px</span>
        </label>
      )}
      {onAgainst && <Segmented label="Compare with" choices={sides} value={against} onChange={onAgainst} />}
      <div class="buttons stage-undo">
        <button type="button" class="button" disabled={!props.canUndo} title="Ctrl+Z" onClick={props.onUndo}>
          Undo
        </button>
        <button
          type="button"
          class="button"
          disabled={!props.canRedo}
          title="Ctrl+Shift+Z"
          onClick={props.onRedo}
        >
          Redo
        </button>
      </div>
    </div>
  )
}
