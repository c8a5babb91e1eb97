// State that survives a reload of this tab: in session storage, which no other tab can read and which ends with the tab.

import { useCallback, useState } from 'preact/hooks'

export interface Stored<Value> {
  name: string
  /** The value when nothing readable is stored. */
  initial: Value
  toText: (value: Value) => string
  /** Throws when the text is not readable. */
  fromText: (text: string) => Value
}

/** Like useState, but stored. In a browser that forbids storage, the value is lost at a reload. */
export function useSessionState<Value>(stored: Stored<Value>): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => read(stored))
  const set = useCallback(
    (next: Value) => {
      setValue(() => next)
      write(stored, next)
    },
    [stored],
  )
  return [value, set]
}

function read<Value>({ name, initial, fromText }: Stored<Value>): Value {
  try {
    const text = sessionStorage.getItem(name)
    return text === null ? initial : fromText(text)
  } catch {
    return initial
  }
}

function write<Value>({ name, initial, toText }: Stored<Value>, value: Value): void {
  try {
    const text = toText(value)
    if (text === toText(initial)) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, text)
  } catch {
    // Storage is full or forbidden: the value is only in memory.
  }
}
