// A part of the page that is loaded when it is shown.

import type { ComponentChildren } from 'preact'
import { loadPart, useLoaded } from './loaded.ts'
import { RetryNotice } from './notice.tsx'

interface PartProps<Module> {
  load: () => Promise<Module>
  show: (module: Module) => ComponentChildren
}

export function Part<Module>({ load, show }: PartProps<Module>) {
  const { value, failure, reload } = useLoaded(() => loadPart(load()), [])
  if (value) return <>{show(value)}</>
  return failure ? <RetryNotice {...{ failure, reload }} title="This part of the page could not be loaded." /> : null
}
