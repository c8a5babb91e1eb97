// Pages of lists in PostgreSQL: a statement for each combination of filters. The limit is part of it: with a parameter for it, PostgreSQL
// plans the statement anew at every execution, because a plan for any limit looks expensive. Planning takes a quarter of the time of a
// page, and a third with a status.

import type { Page } from '../../domain/lists.ts'
import { jsonObject } from '../shared/columns.ts'
import { type AnyFilter, goesUp, type List, pageOf, planOf, startOf } from '../shared/lists.ts'
import { POSTGRES_JSON } from './json.ts'
import type { Ask, Parameter } from './session.ts'
import { parameter, walkSql } from './walks.ts'

/** Without an id: there are rows on the other side of the place. */
interface Row {
  id: bigint | null
  json: string
}

export function pages<Filter extends AnyFilter>(read: Ask, list: List<Filter>): (filter: Filter) => Promise<Page> {
  const columns = `id, ${jsonObject(list.columns, POSTGRES_JSON)} AS json`

  return async (filter) => {
    const { limit, after } = filter
    const plan = planOf(list, filter, parameter)
    const up = goesUp(filter)
    const found = walkSql(list, plan, up, limit + 1, columns)
    // Nothing is before the start of a list. No EXISTS: it forgets the order that only the index gives, and may read the whole table.
    const sql =
      after === undefined
        ? found
        : `SELECT * FROM (${found}) AS page UNION ALL
      SELECT NULL, NULL FROM (${walkSql(list, plan, !up, 1, 'id')}) AS beyond`
    const values = plan.given.map((name) => filter[name] as Parameter)
    return pageOf(filter, foundIn(await read<Row>(sql, after ?? startOf(up), ...values), filter))
  }
}

/** `rows`: up to one row more than `limit`, the nearest first. To read one text costs a tenth of reading a row as an object and writing it. */
function foundIn(rows: readonly Row[], { limit, back }: AnyFilter) {
  const read = rows.filter(({ id }) => id !== null)
  const shown = read.slice(0, limit)
  if (back) shown.reverse()
  return {
    rows: shown.map(({ json }) => json).join(','),
    first: shown[0]?.id ?? undefined,
    last: shown.at(-1)?.id ?? undefined,
    more: read.length > limit,
    beyond: read.length < rows.length,
  }
}
