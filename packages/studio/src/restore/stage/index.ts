/** The large picture with its divider, zoom and brush. */
export { type Canvases, Stage } from './Stage.tsx'
export type { Tool } from './useGestures.ts'
