import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HpackDecoder, type HpackLimits } from './decoder.ts'
import type { HeaderField } from './fields.ts'
import { HpackError } from './hpack-error.ts'

export function createDecoder(limits: Partial<HpackLimits> = {}): HpackDecoder {
  return new HpackDecoder({ tableSize: 4096, maxListSize: 16 * 1024, maxFields: 100, ...limits })
}

/** Spaces are for the reader. */
export function fromHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
}

export function linesOf(fields: readonly HeaderField[]): string[] {
  return fields.map(({ name, value }) => `${name}: ${value}`)
}

/** The dynamic table, the newest entry first, as a peer can see it: by asking for each index until there is none. */
export function readTable(decoder: HpackDecoder): { size: number; entries: string[] } {
  const entries: HeaderField[] = []
  try {
    for (;;) entries.push(...decoder.decode(encodeInteger(0x80, 0x7f, 62 + entries.length)).fields)
  } catch (error) {
    if (!(error instanceof HpackError)) throw error
  }
  return { size: entries.reduce((sum, { size }) => sum + size, 0), entries: linesOf(entries) }
}

/** RFC 7541, 5.1, as its pseudocode says it. `flags` are the other bits of the first byte. */
export function encodeInteger(flags: number, prefix: number, value: number): Buffer {
  if (value < prefix) return Buffer.from([flags | value])
  const bytes = [flags | prefix]
  let left = value - prefix
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return Buffer.from([...bytes, left])
}

export function rawString(text: string): Buffer {
  return Buffer.concat([encodeInteger(0, 0x7f, text.length), Buffer.from(text, 'latin1')])
}

/** A literal with both name and value spelled out, which enters the dynamic table. */
export function indexedLiteral(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), rawString(name), rawString(value)])
}

/** In bytes, after a collection. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
