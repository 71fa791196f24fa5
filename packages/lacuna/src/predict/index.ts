/**
 * lacuna/predict: single models that were learned elsewhere, for places where code must be small, such as an edge
 * worker: decodes a file, predicts, ranks and folds in. It uses no worker threads, WebAssembly or modules of Node.
 */
export { InputError } from '../base/inputError.ts'
export { decodePredictionModel as decodeModel } from '../io/array/index.ts'
export type { PredictionModel } from '../model/index.ts'
