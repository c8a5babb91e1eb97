// Requests that wait for events on the embedded store.

import { temporaryFile } from '../../../../test/support/files.ts'
import { waitingConformance } from './waiting.conformance.ts'

waitingConformance('SQLite', () => temporaryFile('petstore.db'))
