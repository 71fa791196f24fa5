export { InputError } from './inputError.ts'
export * from './tensor/index.ts'
