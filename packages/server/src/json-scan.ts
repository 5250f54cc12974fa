import type { TimeSlice } from './time-slice.ts'

/** A large object directly below the root: where its members begin and end, and commas between them to cut at. */
export interface LargeMember {
  /** The name of the member, as written, quotes included. */
  name: { from: number; to: number }
  from: number
  to: number
  cuts: number[]
}

export interface JsonScan {
  /** Members of objects and items of lists; never fewer than a parser would make. */
  entries: number
  large: LargeMember[]
}

const pieceBytes = 32 * 1024
const scannedAtOnce = 256 * 1024
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/**
 * Goes over the bytes of a JSON text without making anything of it. Counting stops at `most`, since more is refused.
 * Whether the text is valid is left to the parser, which sees every byte of it.
 */
export async function scanJson(json: Uint8Array, most: number, slice: TimeSlice): Promise<JsonScan> {
  const large: LargeMember[] = []
  const isObject = isRootObject(json)
  let depth = 0
  let entries = 0
  let isInString = false
  let stringFrom = 0
  let name = { from: 0, to: 0 }
  let open: LargeMember | null = null
  let lastCut = 0

  for (let at = 0; at < json.length && entries <= most; at++) {
    if (at % scannedAtOnce === 0) await slice.pause()
    const byte = json[at]
    if (isInString) {
      if (byte === backslash) at++
      else if (byte === quote) {
        isInString = false
        if (depth === 1) name = { from: stringFrom, to: at + 1 }
      }
      continue
    }
    switch (byte) {
      case quote:
        isInString = true
        stringFrom = at
        break
      case comma:
        entries++
        if (open !== null && depth === 2 && at - lastCut > pieceBytes) {
          open.cuts.push(at)
          lastCut = at
        }
        break
      case 0x7b: // {
      case 0x5b: // [
        entries++
        depth++
        if (depth === 2) {
          open = isObject && byte === 0x7b ? { name, from: at + 1, to: at + 1, cuts: [] } : null
          lastCut = at
        }
        break
      case 0x7d: // }
      case 0x5d: // ]
        if (depth === 2 && open !== null) {
          open.to = at
          if (open.cuts.length > 0) large.push(open)
          open = null
        }
        depth--
        break
    }
  }
  return { entries, large }
}

function isRootObject(json: Uint8Array): boolean {
  const first = json.find((byte) => byte === 0x7b || byte === 0x5b || byte === quote)
  return first === 0x7b
}
