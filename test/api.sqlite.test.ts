// The API on the embedded store.

import { apiScenarios } from './api.scenarios.ts'
import { temporaryFile } from './support/files.ts'

apiScenarios('SQLite', () => temporaryFile('petstore.db'))
