// State in session storage: it survives a reload, and no other tab can read it.

import { useState } from 'preact/hooks'

/** Like useState, but stored as JSON. If the browser forbids storage, a reload loses the value. */
export function useSessionState<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => read(name) ?? initial)
  function set(next: Value): void {
    setValue(() => next)
    try {
      if (next === initial) sessionStorage.removeItem(name)
      else sessionStorage.setItem(name, JSON.stringify(next))
    } catch {
      // Storage is full or forbidden, so the value is only in memory.
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
