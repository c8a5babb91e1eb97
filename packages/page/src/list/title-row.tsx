// The top of a list: the link that skips to the rows, the title, and the buttons.

import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icons.tsx'
import { Menu } from '../parts/menu.tsx'
import { LIST_ID } from './row-focus.ts'

/** Skips the browser's navigation, which would change the address. */
export function SkipLink() {
  function skip(event: Event): void {
    event.preventDefault()
    document.getElementById(LIST_ID)?.focus()
  }
  return (
    <a class="skip-link" href={`#${LIST_ID}`} onClick={skip}>
      Skip to the list
    </a>
  )
}

interface TitleRowProps {
  title: string
  draftKept: boolean
  /** `undefined` if the person cannot add animals. */
  onAdd: (() => void) | undefined
  onImport: () => void
  /** `undefined` without rows. */
  onSelect: (() => void) | undefined
  selecting: boolean
  exporting: boolean
  /** `undefined` without rows. */
  onExport: (() => void) | undefined
  /** Resolves once the list is sent to the printer. */
  onPrint: () => Promise<void>
}

export function TitleRow(props: TitleRowProps) {
  const { title, draftKept, onAdd, onImport, onSelect, selecting, exporting, onExport, onPrint } = props
  const [printing, once] = useBusy()
  const more = [
    onSelect && <Button key="select" text="Select" class="quiet" aria-pressed={selecting} onClick={onSelect} />,
    onExport && (
      <Button
        key="export"
        text={exporting ? 'Exporting…' : 'Export'}
        class="quiet"
        aria-disabled={exporting}
        onClick={onExport}
      />
    ),
    onExport && (
      <Button
        key="print"
        text={printing ? 'Reading…' : 'Print'}
        class="quiet"
        aria-disabled={printing}
        onClick={() => once(onPrint)}
      />
    ),
    onAdd && <Button key="import" text="Import" class="quiet" onClick={onImport} />,
  ]
  return (
    <div class="title-row">
      <Heading>{title}</Heading>
      <div class="title-actions">
        <div class="title-more">{more}</div>
        {more.some(Boolean) && (
          <Menu label="More" class="narrow-only">
            {more}
          </Menu>
        )}
        {draftKept && onAdd && <span class="tag">Draft kept</span>}
        {onAdd && (
          <button type="button" class="primary" onClick={onAdd}>
            <Icon name="plus" />
            Add <span class="wide-only">an animal</span>
          </button>
        )}
      </div>
    </div>
  )
}
