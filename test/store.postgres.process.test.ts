// The store of many machines: the promises of every store, and what is peculiar to PostgreSQL.

import { openStore } from '../src/store/open.ts'
import { conformance } from './store.conformance.ts'
import { sharedCluster } from './support/postgres.ts'

conformance('PostgreSQL', async (options) => openStore(await (await sharedCluster()).newDatabase(), options))
