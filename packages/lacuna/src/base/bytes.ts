/**
 * Bytes in an ArrayBuffer, as a Blob needs them: Uint8Array<ArrayBuffer>, a type that TypeScript before 5.7
 * does not have and that must not appear in the declarations.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>
