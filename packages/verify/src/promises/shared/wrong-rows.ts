// Rows about values that the contract rejects: of parameters, and of fields of a body. wrong-values.ts has the values.

import type { Json } from '../../../../contract/src/json.ts'
import type { Answer } from '../../answer.ts'
import { expectAdditions } from '../../orders.ts'
import type { Probe } from '../../probe.ts'
import { FIELD_PROMISES, type FieldPromise, PARAMETER_PROMISES, wrongQueries, wrongValues } from '../../wrong-values.ts'
import { bodySchema, contract, familyOf, parameter, reading, writing } from './rows.ts'

/** The parameters that version 2.0.0 added. Earlier versions ignore them. */
const ADDED = ['petIds', 'count']

/** Rows that expect 400 for each parameter of a list. An invalid value is never ignored or clamped. */
export function parameterRows(family: string) {
  const { row, of, path } = familyOf(family)
  const own = PARAMETER_PROMISES.filter((one) => one.family === family)
  const wrong = own.map(({ id, parameter: wrong }) => {
    const { name, schema } = wrong
    const twice =
      schema.type === 'array' && !schema.uniqueItems ? 'an invalid one next to a valid one' : 'a repeated one'
    return row(id, `An empty or invalid ${name}, or ${twice}: 400 invalid_parameter.`)
      .from(parameter(of, name))
      .check(async (probe) => {
        if (ADDED.includes(name)) await expectAdditions(probe)
        for (const query of wrongQueries(wrong))
          (await probe.get(`${path}?${query}`)).expectError(400, 'invalid_parameter')
      })
  })
  const brackets = row(`${family}.brackets`, 'A parameter with brackets, such as limit[]: 400 invalid_parameter.')
    .from(contract('info', 'description'), reading(`${family}.limit.wrong`))
    .check(async (probe) => {
      for (const { name } of own.map(({ parameter }) => parameter))
        if (!ADDED.includes(name)) (await probe.get(`${path}?${name}[]=1`)).expectError(400, 'invalid_parameter')
    })
  return [...wrong, brackets]
}

/** Describes the wrong values: `a wrong name (array, object)`. */
export function described(promises: readonly FieldPromise[]): string {
  const words = promises.map(({ field, kinds }) => `${field}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`)
  return `a wrong ${words.join(' or ')}`
}

/** The ids that other files have a row for. */
const OTHERS = /^pets\.create\.refused\.|\.update\.(?:name|category-id|status|reference|expires-at)$/

type Prepare = (probe: Probe) => Promise<(field: string, value: Json | undefined) => Promise<Answer>>

/** Rows that expect 400 for the fields of a body. `prepare` resolves with a function that sends a wrong value. */
export function fieldRows(family: string, code: string, premise: string, prepare: Prepare) {
  const { row, of } = familyOf(family)
  const own = FIELD_PROMISES.filter((one) => one.family === family && !OTHERS.test(one.id))
  return [...Map.groupBy(own, ({ id }) => id)].map(([id, promises]) =>
    row(id, `${code} (400) for ${described(promises)}.`)
      .from([promises.flatMap(({ field }) => bodySchema(of, field))], writing(premise))
      .check(async (probe) => {
        const send = await prepare(probe)
        for (const promise of promises)
          for (const value of wrongValues(promise)) (await send(promise.field, value)).expectError(400, code)
      }),
  )
}

/** Returns the wrong values of the promise with this id, each with its field. */
export function wrongFields(id: string): Record<string, Json | undefined>[] {
  const promises = FIELD_PROMISES.filter((one) => one.id === id)
  return promises.flatMap((promise) => wrongValues(promise).map((value) => ({ [promise.field]: value })))
}
