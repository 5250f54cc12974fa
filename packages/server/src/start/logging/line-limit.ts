import { minute } from '../../kernel/clock.ts'

/** Of the same kind, per minute. */
const linesPerMinute = 10

interface Kind {
  written: number
  leftOut: number
  report: (leftOut: number) => void
}

/** Keeps strangers from filling the disk: of lines of the same kind, the first are written and the others counted. */
export class LineLimit {
  readonly #kinds = new Map<string, Kind>()
  #minuteEnds: NodeJS.Timeout | undefined

  /** Whether the line may be written. Otherwise `report` gets the number of those left out, once the minute is over. */
  admits(kind: string, report: (leftOut: number) => void): boolean {
    const seen = this.#kinds.get(kind) ?? { written: 0, leftOut: 0, report }
    this.#kinds.set(kind, seen)
    this.#minuteEnds ??= setTimeout(() => this.endMinute(), minute).unref()
    if (seen.written < linesPerMinute) {
      seen.written++
      return true
    }
    seen.leftOut++
    return false
  }

  endMinute(): void {
    clearTimeout(this.#minuteEnds)
    this.#minuteEnds = undefined
    const kinds = [...this.#kinds.values()]
    this.#kinds.clear()
    for (const { leftOut, report } of kinds) if (leftOut > 0) report(leftOut)
  }
}
