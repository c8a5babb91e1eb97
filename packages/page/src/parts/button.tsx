// A button that does not submit a form.

import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  text: ComponentChildren
}

export function Button({ text, ...button }: ButtonProps) {
  return (
    <button type="button" {...button}>
      {text}
    </button>
  )
}
