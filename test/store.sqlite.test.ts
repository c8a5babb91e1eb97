// The embedded store: the promises of every store, and what is peculiar to a file of SQLite's.

import { openStore } from '../src/store/open.ts'
import { conformance } from './store.conformance.ts'
import { temporaryFile } from './support/files.ts'

conformance('SQLite in memory', (options) => openStore(':memory:', options))
conformance('SQLite in a file', (options) => openStore(temporaryFile('petstore.db'), options))
