// The API on PostgreSQL.

import { sharedCluster } from '../../../../test/support/postgres.ts'
import { apiScenarios } from './api.scenarios.ts'

const cluster = await sharedCluster()

apiScenarios('PostgreSQL', () => cluster.newStore())
