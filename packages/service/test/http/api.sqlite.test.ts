// The API on the embedded store.

import { temporaryFile } from '../../../../test/support/files.ts'
import { apiScenarios } from './api.scenarios.ts'

apiScenarios('SQLite', () => temporaryFile('petstore.db'))
