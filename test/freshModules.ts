/**
 * Test files run one after another in the same process. Before each, this set-up file drops the modules of the tests, so that
 * helpers with state (folders, the process of the CLI, hooks) are loaded anew; the built library and npm packages stay.
 */
import { vi } from 'vitest'

vi.resetModules()
