// An id with a button that copies it.

import { useEffect, useState } from 'preact/hooks'
import { useAnnounce } from './announcer.tsx'
import { Icon } from './icons.tsx'

const SHOWN_MS = 2_000

export function CopyId({ id }: { id: bigint }) {
  const announce = useAnnounce()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy(button: HTMLElement): Promise<void> {
    const done = await copyText(String(id), button)
    setCopied(done)
    announce(done ? `Id ${id} is copied.` : 'The browser does not allow this page to copy.')
  }

  return (
    <button
      type="button"
      class={copied ? 'copy copied' : 'copy'}
      aria-label={`Copy id ${id}`}
      title={copied ? 'Copied' : 'Copy'}
      onClick={({ currentTarget }) => copy(currentTarget)}
    >
      <span class="mono" translate={false}>
        {String(id)}
      </span>
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  )
}

/** Browsers offer the clipboard API only on https and localhost; elsewhere, the page uses execCommand. */
async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'visually-hidden'
    // Next to the button, because nothing outside an open dialog can be selected.
    near.after(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    near.focus()
    return done
  }
}
