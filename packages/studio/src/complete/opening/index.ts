/** The parts of the Complete view that open a file, a stored session or an interrupted run. */
export { ACCEPT } from './accept.ts'
export { InterruptedCard } from './InterruptedCard.tsx'
export { SecondFileCard } from './SecondFileCard.tsx'
export { SessionsCard } from './SessionsCard.tsx'
export { useSecondFile } from './useSecondFile.ts'
export { Welcome } from './Welcome.tsx'
