// Splits the service's message about an animal into problems of its fields. Each sentence starts with a field's name:
// "name is required. categoryId must be an integer."

import { FIELD_NAMES, FIELDS, type Field } from './fields.ts'

export interface Problems {
  fields: Partial<Record<Field, string>>
  other: string
}

export const NO_PROBLEMS: Problems = { fields: {}, other: '' }

/** A sentence that does not start with a field's name belongs to the previous field. */
export function toProblems(message: string): Problems {
  const problems: Problems = { fields: {}, other: '' }
  let last: Field | undefined
  for (const sentence of message.split(/(?<=\.) /)) {
    const field = FIELD_NAMES.find((name) => sentence.startsWith(`${name} `))
    last = field ?? last
    if (!last) problems.other = join(problems.other, sentence)
    else
      problems.fields[last] = join(
        problems.fields[last],
        field ? FIELDS[field].label + sentence.slice(field.length) : sentence,
      )
  }
  return problems
}

function join(before: string | undefined, sentence: string): string {
  return before ? `${before} ${sentence}` : sentence
}
