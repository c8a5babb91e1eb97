// The page's icons. All are decoration: words always say the same.

export function Paw() {
  return (
    <svg class="paw" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <g>
        <ellipse cx="8.7" cy="15.2" rx="2.2" ry="2.9" transform="rotate(-24 8.7 15.2)" />
        <ellipse cx="13.2" cy="10.2" rx="2.3" ry="3.1" transform="rotate(-8 13.2 10.2)" />
        <ellipse cx="18.8" cy="10.2" rx="2.3" ry="3.1" transform="rotate(8 18.8 10.2)" />
        <ellipse cx="23.3" cy="15.2" rx="2.2" ry="2.9" transform="rotate(24 23.3 15.2)" />
        <path d="M16 15.6c3.3 0 6 3.5 6 6 0 1.9-1.3 2.9-3 2.9-1.2 0-2-.6-3-.6s-1.8.6-3 .6c-1.7 0-3-1-3-2.9 0-2.5 2.7-6 6-6z" />
      </g>
    </svg>
  )
}

const LINES = {
  plus: 'M8 3v10M3 8h10',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  previous: 'M10 3 5 8l5 5',
  next: 'M6 3l5 5-5 5',
  first: 'M4 3v10M12.5 3l-5 5 5 5',
  last: 'M12 3v10M3.5 3l5 5-5 5',
}

export function Icon({ name }: { name: keyof typeof LINES }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  )
}
