// Types of imported files. Bun parses YAML, and `with { type: 'text' }` imports the text of a file.

declare module '*/openapi.yaml' {
  const document: import('./openapi.ts').OpenApi
  export default document
}

declare module '*.sql' {
  const text: string
  export default text
}

declare module '*-thread.js' {
  const text: string
  export default text
}
