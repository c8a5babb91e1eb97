// One of a few: radio buttons that look like one control, and behave as radio buttons do for keyboards and readers.

interface ChoiceProps<Value extends string> {
  legend: string
  name: string
  options: readonly (readonly [Value, string])[]
  value: Value
  onChange: (value: Value) => void
  /** The id of what describes it, when something is wrong with it. */
  problemId?: string | undefined
}

export function Choice<Value extends string>({
  legend,
  name,
  options,
  value,
  onChange,
  problemId,
}: ChoiceProps<Value>) {
  return (
    <fieldset class="choice" aria-describedby={problemId}>
      <legend>{legend}</legend>
      <div class="choice-options">
        {options.map(([option, label]) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
