// The files that a page loads.

/** The addresses of scripts, styles and icons, as written in the HTML. */
export function filesOf(html: string): string[] {
  return [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
}
