// Buttons below a label that opens them. Escape, a press elsewhere and a choice close the menu.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { listen } from './listen.ts'

interface MenuProps {
  label: ComponentChildren
  class?: string
  children: ComponentChildren
}

export function Menu({ label, class: style = '', children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  function close(): void {
    if (menu.current) menu.current.open = false
  }
  useEffect(() => {
    const ends = [
      listen(document, 'pointerdown', ({ target }) => menu.current?.contains(target as Node) || close()),
      listen(document, 'keydown', (event) => {
        if ((event as KeyboardEvent).key !== 'Escape' || !menu.current?.open) return
        close()
        menu.current.querySelector('summary')?.focus()
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [])
  return (
    <details ref={menu} class={`menu ${style}`}>
      <summary class="button quiet">{label}</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the buttons inside are pressed. */}
      <div class="menu-items" onClick={close}>
        {children}
      </div>
    </details>
  )
}
