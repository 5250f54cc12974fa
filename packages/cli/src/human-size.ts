export { byteSize as humanSize } from '@masthead/contract/byte-size.ts'

/** "1 file", "12 files" */
export function count(n: number, noun: string): string {
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`
}
