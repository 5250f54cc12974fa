import { TimeSlice } from './concurrency.ts'

/** A large object directly below the root: where its members start and end, and commas to split it at. */
interface LargeMember {
  /** The name of the member, as written, quotes included. */
  name: { from: number; to: number }
  from: number
  to: number
  cuts: number[]
}

interface JsonScan {
  /** Members of objects and items of lists; never fewer than a parser would create. */
  entries: number
  large: LargeMember[]
}

const pieceBytes = 32 * 1024
const scannedAtOnce = 256 * 1024
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

/**
 * Scans the bytes of a JSON text without building values. Counting stops at `most`, since more is rejected. Validation
 * is left to the parser, which sees every byte.
 */
async function scanJson(json: Buffer, most: number, slice: TimeSlice): Promise<JsonScan> {
  const large: LargeMember[] = []
  const isObject = isRootObject(json)
  let depth = 0
  let entries = 0
  let pauseAt = 0
  let isInString = false
  let stringFrom = 0
  let name = { from: 0, to: 0 }
  let open: LargeMember | null = null
  let lastCut = 0

  for (let at = 0; at < json.length && entries <= most; at++) {
    if (at >= pauseAt) {
      await slice.pause()
      pauseAt = at + scannedAtOnce
    }
    if (isInString) {
      at = endOfString(json, at)
      if (at === -1) break
      isInString = isEscaped(json, at)
      if (!isInString && depth === 1) name = { from: stringFrom, to: at + 1 }
      continue
    }
    switch (json[at]) {
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
          open = isObject && json[at] === 0x7b ? { name, from: at + 1, to: at + 1, cuts: [] } : null
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

/** Most strings are shorter than what it takes to call into the runtime. */
function endOfString(json: Buffer, from: number): number {
  const soon = Math.min(from + 128, json.length)
  for (let at = from; at < soon; at++) if (json[at] === quote) return at
  return json.indexOf(quote, soon)
}

function isEscaped(json: Buffer, quoteAt: number): boolean {
  let backslashes = 0
  while (json[quoteAt - 1 - backslashes] === backslash) backslashes++
  return backslashes % 2 === 1
}

function isRootObject(json: Buffer): boolean {
  const first = json.find((byte) => byte === 0x7b || byte === 0x5b || byte === quote)
  return first === 0x7b
}

/** Throws if the text is not JSON. */
export type ParseText = (text: string) => unknown

export interface ParseOptions {
  parseText?: ParseText
  /** Called before parsing; may throw. Entries are counted up to `most`. */
  check?: (scan: JsonScan) => void
  most?: number
}

/**
 * Parses a JSON text that may be large, with pauses for other requests. A large object directly below the root is
 * parsed in pieces, with the same result as parsing everything at once.
 */
export async function parseJson(
  json: Buffer,
  { parseText = JSON.parse, check, most = Number.POSITIVE_INFINITY }: ParseOptions = {},
): Promise<unknown> {
  const slice = new TimeSlice()
  const scan = await scanJson(json, most, slice)
  check?.(scan)
  const { large } = scan
  if (large.length === 0) return parseText(json.toString())

  const root = parseText(withoutContents(json, large)) as Record<string, unknown>
  for (const member of large) {
    const name = parseText(json.toString('utf8', member.name.from, member.name.to))
    root[String(name)] = await parsePieces(json, member, parseText, slice)
  }
  return root
}

function withoutContents(json: Buffer, large: readonly LargeMember[]): string {
  let text = ''
  let from = 0
  for (const member of large) {
    text += json.toString('utf8', from, member.from)
    from = member.to
  }
  return text + json.toString('utf8', from)
}

async function parsePieces(
  json: Buffer,
  { from, to, cuts }: LargeMember,
  parseText: ParseText,
  slice: TimeSlice,
): Promise<Record<string, unknown>> {
  const value: Record<string, unknown> = {}
  const starts = [from, ...cuts.map((cut) => cut + 1)]
  for (const [index, start] of starts.entries()) {
    await slice.pause()
    const piece = json.toString('utf8', start, cuts[index] ?? to)
    // A comma with nothing next to it: let the parser reject it with its own error.
    Object.assign(value, parseText(piece.trim() === '' ? '{,}' : `{${piece}}`))
  }
  return value
}
