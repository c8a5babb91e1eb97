// A button that does not submit a form.

import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  text: ComponentChildren
}

export function Button({ text, ...button }: ButtonProps) {
  return (
    <button type="button" {...button}>
      {typeof text === 'string' ? <Label text={text} /> : text}
    </button>
  )
}

/** A label that can change. It is a new element then, because translators replace the text of the old one. */
export function Label({ text }: { text: string }) {
  return <span key={text}>{text}</span>
}
