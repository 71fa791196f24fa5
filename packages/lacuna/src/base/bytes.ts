/**
 * Bytes in memory of their own, as a Blob wants them: Uint8Array<ArrayBuffer>, which TypeScript before 5.7 does not know
 * and must not meet in our declarations.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>
