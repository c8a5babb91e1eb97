// Loaded before each test file (bunfig.toml). A test can take 60 s times the load of the machine.

import { setDefaultTimeout } from 'bun:test'
import { machineLoad } from './load.ts'

setDefaultTimeout(60_000 * machineLoad())
