import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { findPeer, type PeerName } from '@masthead/testing/peers/peers.ts'

export interface Table {
  title: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  /** What a reader needs to judge the numbers. */
  notes: readonly string[]
  /** Promises that these figures break. A run with any fails. */
  broken?: readonly string[]
}

/** A Markdown table that also reads well in a terminal: text to the left, figures to the right. */
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

/** The smallest value that this percentage of all values does not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const ratio = (value: number, base: number) => `${(value / base).toFixed(2)}×`
export const whole = (value: number) => Math.round(value).toLocaleString('en-US')
export const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} s`
export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** The lines that say where and when a result was measured. */
export function describeMachine(): string[] {
  return [
    `- date: ${new Date().toISOString().slice(0, 10)}`,
    `- processor: ${processorModel()}, ${cpus().length} cores`,
    `- memory: ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- system: ${systemName()}, ${type()} ${release()}`,
    `- node ${process.versions.node}, nginx ${version('nginx', '-v')}, Caddy ${version('caddy', 'version')}, h2o ${version('h2o', '-v')}`,
  ]
}

/** On ARM node does not know the model, but lscpu does. */
function processorModel(): string {
  const known = cpus()[0]?.model
  if (known !== undefined && known !== '' && known !== 'unknown') return known
  const listed = spawnSync('lscpu', { encoding: 'utf8' }).stdout ?? ''
  return /^Model name:\s*(.+)$/m.exec(listed)?.[1] ?? process.arch
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform
  } catch {
    return process.platform
  }
}

function version(peer: PeerName, argument: string): string {
  const program = findPeer(peer)
  if (program === null) return 'not installed'
  const { stdout, stderr } = spawnSync(program, [argument], { encoding: 'utf8' })
  return /\d+(\.\d+)+/.exec(stdout + stderr)?.[0] ?? 'unknown'
}
