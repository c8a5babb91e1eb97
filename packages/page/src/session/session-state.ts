// State that survives a reload of this tab: in session storage, which no other tab can read and which ends with the tab.

import { useState } from 'preact/hooks'

/** Like useState, but stored, as JSON. In a browser that forbids storage, the value is lost at a reload. */
export function useSessionState<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(name) ?? initial)
  function set(next: Value): void {
    setValue(() => next)
    try {
      if (next === initial) sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, JSON.stringify(next))
    } catch {
      // Storage is full or forbidden: the value is only in memory.
    }
  }
  return [value, set]
}

function read<Value>(name: string): Value | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
