import type { Paint } from './output.ts'

export interface Chart {
  /** Oldest first. */
  counts: readonly number[]
  limit: number
  /** Columns for the bars; see `chartWidth`. */
  width: number
  /** Columns for the figures on the left. */
  gutter: number
  /** Labels below the first and the last bar. */
  from: string
  to: string
}

const eighths = [...' ▁▂▃▄▅▆▇█']
/** The limit is the upper edge of the fourth row. Counts above it get up to four more rows. */
const rowsToLimit = 4
const mostRows = 2 * rowsToLimit
/** Widths that divide 120 minutes evenly and are multiples or divisors of 30 days. */
const widths = [120, 60, 30, 15]

/** The width of charts in this many columns, without the figures on the left. */
export function chartWidth(columns: number): number {
  return widths.find((width) => width <= columns) ?? 15
}

/** Bars of eighths of a character, with the limit as a line behind them. */
export function drawChart({ counts, limit, width, gutter, from, to }: Chart, paint: Paint): string[] {
  const levels = fit(counts, width).map((count) => levelOf(count, limit))
  const rows = Math.min(mostRows, Math.max(rowsToLimit, Math.ceil(Math.max(...levels) / 8)))
  const lines = Array.from({ length: rows }, (_, fromTop) => {
    const row = rows - 1 - fromTop
    const cells = levels.map((level) => eighths[Math.min(8, Math.max(0, level - row * 8))]).join('')
    if (row === 0) return `${'0'.padStart(gutter)} ${cells}`.trimEnd()
    if (row === rowsToLimit - 1) {
      const behind = cells.replace(/ +/g, (gap) => paint('dim', '▔'.repeat(gap.length)))
      return `${limit.toLocaleString('en').padStart(gutter)} ${behind}`
    }
    const bars = cells.trimEnd()
    const painted = row >= rowsToLimit && bars !== '' ? paint('red', bars) : bars
    return `${' '.repeat(gutter)} ${painted}`.trimEnd()
  })
  const axis = from + to.padStart(Math.max(to.length + 1, width - from.length))
  return [...lines, `${' '.repeat(gutter)} ${paint('dim', axis)}`]
}

/** One bar per count. If there are too many for the width, a bar shows the highest of several counts. */
function fit(counts: readonly number[], width: number): number[] {
  if (counts.length <= width) {
    const wide = Math.floor(width / Math.max(1, counts.length))
    return counts.flatMap((count) => Array.from({ length: wide }, () => count))
  }
  const together = Math.ceil(counts.length / width)
  return Array.from({ length: Math.ceil(counts.length / together) }, (_, bar) =>
    Math.max(...counts.slice(bar * together, (bar + 1) * together)),
  )
}

/** In eighths of a row. Any count is visible, and only a count at the limit touches its line. */
function levelOf(count: number, limit: number): number {
  const exact = (count / limit) * rowsToLimit * 8
  return count <= limit ? Math.max(count > 0 ? 1 : 0, Math.floor(exact)) : Math.ceil(exact)
}
