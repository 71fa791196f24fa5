/** Files and texts by which a restored picture is shared. */
export { joinWebp } from './animatedWebp.ts'
export { animateBeforeAfter, drawBeforeAfter, wipeFrames } from './beforeAfter.ts'
export { imageCommand, stemOf } from './command.ts'
