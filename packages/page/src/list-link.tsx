// Links to lists of animals: those of a category, or those that an import has added.

import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type ListPosition, startOf, toAddress } from './list-position.ts'
import { followHere } from './record/record-address.ts'

interface Lists {
  position: Pick<ListPosition, 'limit'>
  goTo: (position: ListPosition) => void
}

/** How a link leads to a list without loading the page again. */
export const OpenList = createContext<Lists>({ position: { limit: 20 }, goTo: () => undefined })

interface AnimalsLinkProps {
  /** What the list is narrowed to. */
  only: Partial<ListPosition>
  class: string
  onFollow?: (() => void) | undefined
  children: ComponentChildren
}

export function AnimalsLink({ only, class: style, onFollow, children }: AnimalsLinkProps) {
  const { position, goTo } = useContext(OpenList)
  const list = { ...startOf('animals', position), ...only }
  function follow(): void {
    onFollow?.()
    goTo(list)
  }
  return (
    <a class={style} href={toAddress(list)} onClick={(event) => followHere(event, follow)}>
      {children}
    </a>
  )
}

export function CategoryLink({ id }: { id: bigint }) {
  return (
    <AnimalsLink class="row-link mono" only={{ categoryId: id }}>
      {String(id)}
    </AnimalsLink>
  )
}
