// A cross that closes a dialog or a message.

import { Icon } from './icons.tsx'

export function CloseButton({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" class="quiet" aria-label="Close" title="Close" onClick={onClose}>
      <Icon name="close" />
    </button>
  )
}
