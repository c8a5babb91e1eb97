// How long a test may take: 60 s times the load of the machine, so that a busy machine is no fault and a test that hangs ends. Loaded before each
// file (bunfig.toml).

import { setDefaultTimeout } from 'bun:test'
import { machineLoad } from './load.ts'

export const TEST_LIMIT_MS = 60_000 * machineLoad()

setDefaultTimeout(TEST_LIMIT_MS)
