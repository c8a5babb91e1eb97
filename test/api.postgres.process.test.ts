// The API on PostgreSQL.

import { apiScenarios } from './api.scenarios.ts'
import { sharedCluster } from './support/postgres.ts'

const cluster = await sharedCluster()

apiScenarios('PostgreSQL', () => cluster.newDatabase())
