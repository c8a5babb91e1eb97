// What this tab keeps while it is open, reloads included: session storage, which no other tab and no later one sees.

import { useCallback, useState } from 'preact/hooks'

export interface Kept<Value> {
  name: string
  /** For when nothing is kept, or nothing readable. */
  initial: Value
  toText: (value: Value) => string
  /** Anything that it throws means: not readable. */
  fromText: (text: string) => Value
}

/** Like useState, and kept. A browser that forbids storage only makes the tab forget at a reload. */
export function useKept<Value>(kept: Kept<Value>): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => read(kept))
  const set = useCallback(
    (next: Value) => {
      setValue(() => next)
      write(kept, next)
    },
    [kept],
  )
  return [value, set]
}

function read<Value>({ name, initial, fromText }: Kept<Value>): Value {
  try {
    const text = sessionStorage.getItem(name)
    return text === null ? initial : fromText(text)
  } catch {
    return initial
  }
}

function write<Value>({ name, initial, toText }: Kept<Value>, value: Value): void {
  try {
    const text = toText(value)
    if (text === toText(initial)) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, text)
  } catch {
    // Storage is full or forbidden: the value lives on in the page.
  }
}
