/**
 * The paper's figures, drawn from results.json by Observable Plot. They need a `document` and nothing else.
 */
export { convergenceFigure } from './convergence.ts'
export { imageFigure, type PictureLinks } from './image.ts'
export { secondsFigure, speedUpFigure } from './timing.ts'
