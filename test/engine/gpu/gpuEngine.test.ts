/** The engine suite on a software adapter: SwiftShader, which Debian's chromium brings. */
import { describe, it } from 'vitest'
import { gpuEngine } from '#dist/engine/gpu/index.js'
import { engineChecks } from '../suite.ts'
import { useSoftwareAdapter } from './softwareAdapter.ts'

useSoftwareAdapter()

describe.each([true])('the GPU engine, subgroups: %s', (subgroups) => {
  it.each(engineChecks)('$name', ({ check }) => check(() => gpuEngine({ threads: 1, subgroups })))
})
