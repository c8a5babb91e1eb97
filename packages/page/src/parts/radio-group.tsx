// Radio buttons that look like one control. To keyboards and screen readers they are ordinary radio buttons.

interface RadioGroupProps<Value extends string> {
  legend: string
  name: string
  options: readonly (readonly [Value, string])[]
  counts?: Readonly<Record<string, string | undefined>> | undefined
  value: Value
  onChange: (value: Value) => void
}

export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { legend, name, options, counts = {}, value, onChange } = props
  return (
    <fieldset class="radio-group">
      <legend>{legend}</legend>
      <div class="radio-group-options">
        {options.map(([option, label]) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <span>
              {label}
              {counts[option] !== undefined && <small translate={false}> {counts[option]}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
