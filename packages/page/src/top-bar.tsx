// The bar at the top: the views, the search, and the key that is signed in.

import type { ComponentChildren } from 'preact'
import type { Opened } from './address.ts'
import { Link } from './links.tsx'
import type { ListPosition } from './list/list-position.ts'
import { names } from './names.ts'
import { Button } from './parts/button.tsx'
import { Paw } from './parts/icons.tsx'
import { Menu } from './parts/menu.tsx'
import { Name } from './parts/name.tsx'
import type { SignedIn } from './session/tab-keys.ts'

export const TITLES = { animals: 'Animals', orders: 'Orders' } as const

interface BarProps {
  position: ListPosition
  firstPages: Record<ListPosition['view'], ListPosition>
  opened: Opened | undefined
  signedIn: SignedIn
  onExplain: () => void
  onSignOut: () => void
  children: ComponentChildren
}

export function Bar({ position, firstPages, opened, signedIn, onExplain, onSignOut, children }: BarProps) {
  const { key, name, readOnly } = signedIn
  return (
    <header class="bar">
      <div class="bar-inner">
        <div class="brand">
          <Paw />
          <Name name={names().store} />
        </div>
        <nav aria-label="Lists" class="views">
          {(['animals', 'orders'] as const).map((view) => (
            <Link
              key={view}
              class="button quiet"
              to={firstPages[view]}
              aria-current={!opened && view === position.view ? 'page' : undefined}
            >
              {TITLES[view]}
            </Link>
          ))}
          <Link
            class="button quiet"
            to={{ kind: 'sales' }}
            aria-current={opened?.kind === 'sales' ? 'page' : undefined}
          >
            Sales
          </Link>
        </nav>
        {children}
        <Menu
          class="key"
          label={
            <>
              <span class="visually-hidden">Signed in with the key </span>
              <span class="key-name" translate={false} title={name}>
                {name}
              </span>
              {readOnly && <span class="tag">Read-only</span>}
            </>
          }
        >
          <p class="muted mono" translate={false}>
            …{key.slice(-4)}
          </p>
          <Button text="Keyboard shortcuts" class="quiet" onClick={onExplain} />
          <Button text="Sign out" class="quiet" onClick={onSignOut} />
        </Menu>
      </div>
    </header>
  )
}
