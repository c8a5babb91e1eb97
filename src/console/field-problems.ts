// The service's message about an animal → what is wrong with each field. The message is one sentence a problem, each
// beginning with the field's name: "name is required. categoryId must be an integer."

export const FIELDS = ['name', 'categoryId', 'status'] as const
export type Field = (typeof FIELDS)[number]

export interface Problems {
  fields: Partial<Record<Field, string>>
  /** What belongs to no field. */
  other: string
}

export const NO_PROBLEMS: Problems = { fields: {}, other: '' }

/** What people call the fields here. */
export const LABELS: Record<Field, string> = { name: 'Name', categoryId: 'Category', status: 'Status' }

/** A sentence that begins with no field's name goes on with the field before it. */
export function problemsOf(message: string): Problems {
  const problems: Problems = { fields: {}, other: '' }
  let last: Field | undefined
  for (const sentence of message.split(/(?<=\.) /)) {
    const field = FIELDS.find((name) => sentence.startsWith(`${name} `))
    last = field ?? last
    if (!last) problems.other = join(problems.other, sentence)
    else
      problems.fields[last] = join(
        problems.fields[last],
        field ? LABELS[field] + sentence.slice(field.length) : sentence,
      )
  }
  return problems
}

function join(before: string | undefined, sentence: string): string {
  return before ? `${before} ${sentence}` : sentence
}
