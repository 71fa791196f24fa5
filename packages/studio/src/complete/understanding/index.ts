/** The interpretation of a table, and how it becomes a tensor: plain data shared by the page and its worker. */
export {
  binningsOf,
  type ChoiceChanges,
  isCounting,
  isPlaceColumn,
  PLACE,
  type PlaceChoice,
  possibleBinnings,
  ROW,
  type Role,
  roleOf,
  setBinnings,
  setRole,
  type TableChoice,
  type TableFormat,
} from './choice.ts'
export {
  type Answer,
  applyAnswer,
  type BadRow,
  type FormatAnswers,
  isChosen,
  openQuestions,
  type Question,
  type RoleGuess,
  type Understanding,
  withFoundDates,
} from './questions.ts'
