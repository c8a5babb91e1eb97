// What importing the contract gives: Bun reads YAML itself, and `with { type: 'text' }` gives the file's own text.

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
