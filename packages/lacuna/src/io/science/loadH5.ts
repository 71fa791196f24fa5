/** Loads h5wasm. Its virtual files lie in memory: it has no access to those of this machine. */
import { explainMissingPackage } from '../../base/missingPackage.ts'

/** The library. */
export type H5 = typeof import('h5wasm')
/** The WebAssembly module, with its virtual file system. */
export type H5Module = Awaited<H5['ready']>

/** Loads h5wasm, with errors of the HDF5 library as exceptions: by default, failed reads return whatever memory holds. */
export async function loadH5(): Promise<{ h5: H5; module: H5Module }> {
  const h5: H5 = await import('h5wasm').catch(explainMissingPackage('h5wasm', 'HDF5'))
  const module = await h5.ready
  module.activate_throwing_error_handler()
  return { h5, module }
}

let files = 0

/** Removes a virtual file, if it is there. */
export function removeVirtualFile({ FS }: H5Module, path: string): void {
  if (FS.analyzePath(path).exists) FS.unlink(path)
}

/** A path for a virtual file that no other has. */
export const virtualPath = (): string => `/lacuna-${++files}`
