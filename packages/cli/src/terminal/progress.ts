import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { formatCount, formatNumber } from './format.ts'
import { bar } from './layout.ts'
import type { Output } from './output.ts'

export interface Stage {
  /** What is done to the files: "Reading", "Uploading". */
  doing: string
  files: number
  bytes: number
}

export interface ProgressDisplay {
  begin(stage: Stage): void
  fileDone(bytes: number): void
  end(): void
}

/** One redrawn line at a terminal, one line per stage elsewhere, nothing with --quiet or --json. */
export function showProgress(out: Output): ProgressDisplay {
  if (!out.chatty) return { begin() {}, fileDone() {}, end() {} }
  if (!out.stderr.isTTY) {
    const begin = ({ doing, files, bytes }: Stage) =>
      out.note(`${doing} ${formatCount(files, 'file')} (${formatBytes(bytes)})`)
    return { begin, fileDone() {}, end() {} }
  }
  return redrawing(out)
}

const redrawEveryMs = 50

function redrawing(out: Output): ProgressDisplay {
  let stage: Stage = { doing: '', files: 0, bytes: 0 }
  let done = { files: 0, bytes: 0 }
  let drawnAt = 0
  const draw = () => {
    drawnAt = performance.now()
    out.draw([progressLine(stage, done, out.stderr.columns || 80)])
  }
  return {
    begin(next) {
      stage = next
      done = { files: 0, bytes: 0 }
      draw()
    },
    fileDone(bytes) {
      done = { files: done.files + 1, bytes: done.bytes + bytes }
      if (performance.now() - drawnAt >= redrawEveryMs) draw()
    },
    end() {
      out.clear()
    },
  }
}

const barWidth = 24

/** The line itself, short enough not to wrap. */
export function progressLine(stage: Stage, done: { files: number; bytes: number }, width: number): string {
  // Half by files and half by bytes, so that neither one large file nor many small ones distort it.
  const part = (done.files / Math.max(1, stage.files) + done.bytes / Math.max(1, stage.bytes)) / 2
  const filled = Math.round(Math.min(1, part) * barWidth)
  const files = `${formatNumber(done.files)}/${formatCount(stage.files, 'file')}`
  const bytes = `${formatBytes(done.bytes)} of ${formatBytes(stage.bytes)}`
  return `${stage.doing.padEnd(9)} ${bar(filled, barWidth)}  ${files}  ${bytes}`.slice(
    0,
    Math.max(1, width - 1),
  )
}
