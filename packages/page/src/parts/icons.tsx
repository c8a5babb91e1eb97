// Icons. All are decorative; a text always says the same.

export function Paw() {
  return <img class="paw" src={document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href} alt="" />
}

const LINES = {
  plus: 'M8 3v10M3 8h10',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  previous: 'M10 3 5 8l5 5',
  next: 'M6 3l5 5-5 5',
  first: 'M4 3v10M12.5 3l-5 5 5 5',
}

export function Icon({ name }: { name: keyof typeof LINES }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  )
}
