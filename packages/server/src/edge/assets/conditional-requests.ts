/** Weak comparison (RFC 9110, 13.1.2). `etag` is a strong tag. */
export function matchesIfNoneMatch(header: string, etag: string): boolean {
  if (header === etag) return true
  if (header.trim() === '*') return true
  return tagsIn(header).includes(etag)
}

/** Strong comparison (RFC 9110, 13.1.1). `etag` is a strong tag. */
export function matchesIfMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsWithStrength(header).includes(etag)
}

/** For If-Unmodified-Since. An invalid date is ignored. */
export function hasChangedSince(header: string, lastModified: string): boolean {
  return readDate(header) < Date.parse(lastModified)
}

/** Reads the three formats of RFC 9110, 5.6.7. Anything else is NaN, which compares as false. */
function readDate(header: string): number {
  const text = header.trim()
  if (text.length > 40) return Number.NaN
  if (/^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/.test(text)) return Date.parse(`${text} GMT`)
  return /^\w+, \d\d[ -]\w{3}[ -]\d+ [\d:]{8} GMT$/.test(text) ? Date.parse(text) : Number.NaN
}

/**
 * Whether a range still fits what the client has. Only a strong tag proves that. A date does not: two deployments may be
 * created within a second, and a rollback goes back in time.
 */
export function matchesIfRange(header: string | string[] | undefined, etag: string): boolean {
  return header === undefined || (typeof header === 'string' && header.trim() === etag)
}

function tagsWithStrength(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Tags with their quotes but without `W/`. A tag may contain a comma, so the header cannot just be split. */
function tagsIn(header: string): string[] {
  return header.match(/"[^"]*"/g) ?? []
}

/** Both ends inclusive, as in the header. */
export interface ByteRange {
  start: number
  end: number
}

export type RangeDecision = { kind: 'whole' } | { kind: 'part'; range: ByteRange } | { kind: 'unsatisfiable' }

const whole: RangeDecision = { kind: 'whole' }

/**
 * What a Range header asks for (RFC 9110, 14.2). Multiple ranges, other units and malformed headers are ignored, as the
 * RFC allows, and so is any range of an empty file.
 */
export function decideRange(header: string, size: number): RangeDecision {
  const match = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(header.trim())
  if (match === null || size === 0) return whole
  const [, first, last, suffix] = match
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? { kind: 'unsatisfiable' } : part(size - length, size - 1)
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Number(last)
  if (end < start && last !== '') return whole
  return start >= size ? { kind: 'unsatisfiable' } : part(start, Math.min(end, size - 1))
}

function part(start: number, end: number): RangeDecision {
  return { kind: 'part', range: { start, end } }
}
