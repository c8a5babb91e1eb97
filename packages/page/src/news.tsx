// What has just been done, above the pager. It leaves by itself, unless somebody is at it.

import { useEffect, useRef } from 'preact/hooks'
import { CloseButton } from './close-button.tsx'
import { Notice } from './notice.tsx'

const SHOWN_MS = 10_000

interface NewsProps {
  title: string
  /** Prints the receipt of what was sold. */
  onReceipt?: (() => void) | undefined
  onClose: () => void
}

export function News({ title, onReceipt, onClose }: NewsProps) {
  const news = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const leave = () => !news.current?.matches(':hover, :focus-within') && onClose()
    const timer = setInterval(leave, SHOWN_MS)
    return () => clearInterval(timer)
  }, [title])
  return (
    <div ref={news}>
      <Notice
        kind="done"
        title={title}
        actions={
          <>
            {onReceipt && (
              <button type="button" onClick={onReceipt}>
                Receipt
              </button>
            )}
            <CloseButton onClose={onClose} />
          </>
        }
      />
    </div>
  )
}
