// Requests that wait for events on PostgreSQL.

import { sharedCluster } from './support/postgres.ts'
import { waitingConformance } from './waiting.conformance.ts'

const cluster = await sharedCluster()

waitingConformance('PostgreSQL', () => cluster.newDatabase())
