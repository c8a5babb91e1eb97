// A page of animals as a table. On a phone, styles show each row as a card.

import type { Pet } from '../client/petstore.ts'
import { CopyId } from './copy-id.tsx'
import { Status } from './status.tsx'

const COLUMNS = [
  ['id', 'Id'],
  ['name', 'Name'],
  ['category', 'Category'],
  ['status', 'Status'],
] as const

export function PetTable({ pets, added }: { pets: readonly Pet[]; added: readonly Pet[] }) {
  const fresh = new Set(added.map(({ id }) => id))
  return (
    <table class="pets">
      <Head />
      <tbody>
        {pets.map((pet) => (
          <tr key={String(pet.id)} class={fresh.has(pet.id) ? 'fresh' : undefined}>
            <td class="cell-id">
              <span class="cell-label">Id </span>
              <CopyId id={pet.id} />
            </td>
            <th scope="row" class="cell-name">
              <Name name={pet.name} />
            </th>
            <td class="cell-category">
              <span class="cell-label">Category </span>
              <span class="mono">{String(pet.categoryId)}</span>
            </td>
            <td class="cell-status">
              <Status status={pet.status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Shows a name exactly: with its own text direction and its own spaces. */
export function Name({ name }: { name: string }) {
  return (
    <bdi class="name" dir="auto" title={name}>
      {name}
    </bdi>
  )
}

export function PetTableLoading() {
  return (
    <>
      <p class="visually-hidden">Loading the animals…</p>
      <table class="pets loading" aria-hidden="true">
        <Head />
        <tbody>
          {Array.from({ length: 8 }, (_, row) => (
            <tr key={row}>
              {COLUMNS.map(([name]) => (
                <td key={name} class={`cell-${name}`}>
                  <span class="blank" />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function Head() {
  return (
    <thead>
      <tr>
        {COLUMNS.map(([name, label]) => (
          <th key={name} scope="col" class={`cell-${name}`}>
            {label}
          </th>
        ))}
      </tr>
    </thead>
  )
}
