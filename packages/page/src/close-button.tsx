// A cross that closes a dialog or a message, or clears a list.

import { Icon } from './icons.tsx'

interface CloseButtonProps {
  label?: string
  onClose: () => void
}

export function CloseButton({ label = 'Close', onClose }: CloseButtonProps) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onClose}>
      <Icon name="close" />
    </button>
  )
}
