export interface Table {
  title: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  /** What a reader must know to judge the numbers. */
  notes: readonly string[]
  /** What was promised and does not hold by these figures. A run with any fails. */
  broken?: readonly string[]
}

/** A Markdown table that also reads well in a terminal: the first column to the left, figures to the right. */
export function formatTable({ title, columns, rows, notes }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, 3, ...rows.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, index) =>
      index === 0 ? (cells[index] ?? '').padEnd(width) : (cells[index] ?? '').padStart(width),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [`## ${title}`, '', line(columns), line(rule), ...rows.map(line), '', ...notes, ''].join('\n')
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** The smallest value that so many percent of all do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const ratio = (value: number, base: number) => `${(value / base).toFixed(2)}×`
export const whole = (value: number) => Math.round(value).toLocaleString('en-US')
export const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} s`
export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
