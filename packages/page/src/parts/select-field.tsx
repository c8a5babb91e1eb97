// A field with a few options.

import type { ComponentChildren } from 'preact'

interface SelectFieldProps<Value extends string> {
  id: string
  label: string
  options: readonly (readonly [Value, string])[]
  value: Value
  onChange: (value: Value) => void
  children?: ComponentChildren
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { id, label, options, value, onChange, children } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
      {children}
    </div>
  )
}
