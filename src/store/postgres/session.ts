// One connection for long work, such as a migration or a copy: nothing ends its statements but their own end.

import type { PostgresAddress } from './address.ts'
import { openPool, type Sql, writableHost } from './hosts.ts'

export async function withSession<Result>(
  address: PostgresAddress,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = openPool(address, await writableHost(address), { max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
