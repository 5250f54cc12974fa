/** Both ends included, as in the header. */
export interface ByteRange {
  start: number
  end: number
}

export type RangeDecision = { kind: 'whole' } | { kind: 'part'; range: ByteRange } | { kind: 'unsatisfiable' }

const whole: RangeDecision = { kind: 'whole' }

/**
 * What a Range header asks of `size` bytes (RFC 9110, 14.2). Several ranges, other units and malformed headers are
 * ignored, as the RFC allows; so is any range of an empty file, which has no part to give.
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
