import { type JsonScan, type LargeMember, scanJson } from './json-scan.ts'
import { TimeSlice } from './time-slice.ts'

/** Throws what is not JSON. */
export type ParseText = (text: string) => unknown

export interface ParseOptions {
  parseText?: ParseText
  /** Called before anything is made of the text; may throw. More entries than `most` are not counted. */
  check?: (scan: JsonScan) => void
  most?: number
}

/**
 * Parses a JSON text that may be large, with pauses in which others are served. A large object directly below the root
 * is parsed in pieces; the value is the same as if all had been parsed at once.
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
    // A comma with nothing on one side of it: let the parser refuse it in its own way.
    Object.assign(value, parseText(piece.trim() === '' ? '{,}' : `{${piece}}`))
  }
  return value
}
