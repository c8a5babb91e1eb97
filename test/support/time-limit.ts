// How long a test may take: so long that only one that hangs is ended, because a busy machine is not a fault. Loaded before each file
// (bunfig.toml).

import { setDefaultTimeout } from 'bun:test'

setDefaultTimeout(10 * 60_000)
