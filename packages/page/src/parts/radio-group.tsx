// Radio buttons that look like one control. Keyboards and screen readers see ordinary radio buttons.

interface RadioGroupProps<Value extends string> {
  legend: string
  name: string
  options: readonly (readonly [Value, string])[]
  /** How many there are of each, where that is known. */
  counts?: Readonly<Record<string, string | undefined>> | undefined
  value: Value
  onChange: (value: Value) => void
  /** The id of the element that describes the problem, if there is one. */
  problemId?: string | undefined
}

export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { legend, name, options, counts = {}, value, onChange, problemId } = props
  return (
    <fieldset class="radio-group" aria-describedby={problemId}>
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
              {counts[option] !== undefined && <small> {counts[option]}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
