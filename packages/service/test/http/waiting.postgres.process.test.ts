// Requests that wait for events on PostgreSQL.

import { sharedCluster } from '../../../../test/support/postgres.ts'
import { waitingConformance } from './waiting.conformance.ts'

const cluster = await sharedCluster()

waitingConformance('PostgreSQL', () => cluster.newStore())
