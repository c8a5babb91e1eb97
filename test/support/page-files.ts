// What a page loads when it is opened. Its links to other pages are not among it.

/** The addresses of scripts, styles and icons, as they are written. */
export function filesOf(html: string): string[] {
  return [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
}
