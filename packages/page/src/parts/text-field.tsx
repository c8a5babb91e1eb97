// A text field with its label, problem and hint, which screen readers associate with it.

import type { AllHTMLAttributes, ComponentChildren } from 'preact'

type InputProps =
  | 'name'
  | 'class'
  | 'dir'
  | 'maxLength'
  | 'placeholder'
  | 'inputMode'
  | 'autocomplete'
  | 'onKeyDown'
  | 'onBlur'

export interface TextFieldProps extends Pick<AllHTMLAttributes<HTMLInputElement>, InputProps> {
  id: string
  label: string
  value: string
  setText: (text: string) => void
  problem?: string | undefined
  hint?: string | undefined
  required?: boolean
  type?: 'text' | 'search'
  list?: string | undefined
  secret?: boolean
  beside?: ComponentChildren
}

export function TextField(props: TextFieldProps) {
  const { id, label, setText, problem, hint, required, type = 'text', list, secret, beside, ...input } = props
  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="joined">
        <input
          id={id}
          {...(secret ? { type: 'password' } : { type, list })}
          autocomplete="off"
          autocapitalize={input.class === 'mono' ? 'off' : undefined}
          spellcheck={input.class !== 'mono'}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          aria-required={required}
          aria-invalid={Boolean(problem)}
          aria-describedby={described || undefined}
          {...input}
        />
        {beside}
      </div>
      {problem && (
        <p id={`${id}-problem`} class="problem" role="alert" translate={false}>
          {problem}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}
