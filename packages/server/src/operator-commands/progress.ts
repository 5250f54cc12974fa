import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import type { ProgressReport, ProgressStep } from '../backup/progress-report.ts'

interface Terminal {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

const redrawEveryMs = 100
const lineEveryMs = 5_000

/** One line, redrawn at a terminal. Elsewhere a line every few seconds. */
export function showProgress(out: Terminal, now: () => number = () => performance.now()): ProgressReport {
  const redraws = out.isTTY === true
  return {
    begin(step) {
      const done = { count: 0, bytes: 0 }
      const start = now()
      let shownAt = redraws ? Number.NEGATIVE_INFINITY : start
      const show = (text: string, isLast: boolean) => {
        shownAt = now()
        if (redraws) out.write(`\r\u001b[K${text.slice(0, (out.columns || 80) - 1)}${isLast ? '\n' : ''}`)
        else out.write(`${text}\n`)
      }
      return {
        advance(count, bytes = 0) {
          done.count += count
          done.bytes += bytes
          if (now() - shownAt >= (redraws ? redrawEveryMs : lineEveryMs))
            show(progressText(step, done, now() - start), false)
        },
        end: () => show(doneText(step, done, now() - start), true),
      }
    },
  }
}

/** "Files: 1,200 of 10,000 (0.4 GB of 5.0 GB), 45.0 MB/s, 2 min left" */
function progressText(
  { title, unit, total, bytes = 0 }: ProgressStep,
  done: { count: number; bytes: number },
  elapsedMs: number,
): string {
  const seconds = Math.max(elapsedMs, 1) / 1000
  const part = effort(done) / Math.max(effort({ count: total, bytes }), 1)
  const rate =
    bytes > 0
      ? `${formatBytes(Math.round(done.bytes / seconds))}/s`
      : `${formatNumber(Math.round(done.count / seconds))} ${unit}/s`
  const size = bytes > 0 ? ` (${formatBytes(done.bytes)} of ${formatBytes(bytes)})` : ''
  const left = part > 0 && part < 1 ? `, ${formatSeconds((seconds * (1 - part)) / part)} left` : ''
  return `${title}: ${formatNumber(done.count)} of ${formatNumber(total)} ${unit}${size}, ${rate}${left}`
}

/** A file takes as long as this many bytes, however small it is: many small ones often come before a few large ones. */
const bytesPerFile = 256 * 1024

function effort({ count, bytes }: { count: number; bytes: number }): number {
  return count * bytesPerFile + bytes
}

function doneText(
  { title, unit }: ProgressStep,
  done: { count: number; bytes: number },
  elapsedMs: number,
): string {
  const size = done.bytes > 0 ? ` (${formatBytes(done.bytes)})` : ''
  return `${title}: ${formatNumber(done.count)} ${unit}${size} in ${formatSeconds(elapsedMs / 1000)}`
}

function formatNumber(n: number): string {
  return n.toLocaleString('en-US')
}

function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}
