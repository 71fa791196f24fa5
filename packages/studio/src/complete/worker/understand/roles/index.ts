/** Guesses of what the columns of a table are: modes, value, weight, or what follows from another column. */
export { dependenceQuestion } from './dependences.ts'
export { measuresQuestion } from './guessMeasures.ts'
export { type GuessedRoles, guessRoles } from './guessRoles.ts'
