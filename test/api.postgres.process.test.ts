// The API on PostgreSQL.

import { apiScenarios } from './api.scenarios.ts'
import { sharedCluster } from './support/postgres.ts'

apiScenarios('PostgreSQL', async () => (await sharedCluster()).newDatabase())
