/** The parts of the Complete view around a run: settings, progress, verdict and the list of runs. */
export { CommandsCard } from './CommandsCard.tsx'
export { ModelCard } from './ModelCard.tsx'
export { ProgressCard } from './ProgressCard.tsx'
export { ReadPanel } from './ReadPanel.tsx'
export { RunPanel } from './RunPanel.tsx'
export { RunsCard } from './RunsCard.tsx'
export { type LearnChoices, settingsOfExample, settingsToShow, useLearnSettings } from './useLearnSettings.ts'
export { VerdictCard } from './VerdictCard.tsx'
