// Links within the page, which navigate without reloading it.

import { type AnchorHTMLAttributes, type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { addressOf, type Place, type RecordId } from './address.ts'
import { firstPageOf, type ListPosition } from './list/list-position.ts'
import { names } from './names.ts'
import { Name } from './parts/name.tsx'

export const Places = createContext<{ go: (to: Place) => void }>({ go: () => undefined })

interface LinkProps extends Pick<AnchorHTMLAttributes, 'class' | 'aria-current'> {
  to: Place
  onFollow?: (() => void) | undefined
  children: ComponentChildren
}

/** Clicks that open a new tab or window are left to the browser. */
export function Link({ to, onFollow, ...link }: LinkProps) {
  const { go } = useContext(Places)
  function follow(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onFollow?.()
    go(to)
  }
  return <a href={addressOf(to)} onClick={follow} {...link} />
}

interface AnimalsLinkProps extends Omit<LinkProps, 'to'> {
  only: Partial<ListPosition>
}

export function AnimalsLink({ only, ...link }: AnimalsLinkProps) {
  return <Link to={{ ...firstPageOf('animals'), ...only }} {...link} />
}

export function CategoryLink({ id }: { id: bigint }) {
  const name = names().nameOf(id)
  const isId = name === String(id)
  return (
    <AnimalsLink class={isId ? 'row-link mono' : 'row-link'} only={{ categoryId: id }}>
      {isId ? <span translate={false}>{name}</span> : <Name name={name} />}
    </AnimalsLink>
  )
}

/** `plain`: styled like the text around it until hovered. */
export function RecordLink({ kind, id, plain, text }: RecordId & { plain?: boolean; text: ComponentChildren }) {
  return (
    <Link class={plain ? 'row-link' : undefined} to={{ kind, id }}>
      {text}
    </Link>
  )
}

export function OrderLink({ id }: { id: bigint }) {
  return <Link to={{ kind: 'order', id }}>Order {String(id)}</Link>
}
