import { constants, openSync, write, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { timeForLastLines } from '../../kernel/program/process-lifetime.ts'

/** In characters. Lines after these are lost, until all of these are written. */
const mostWaiting = 2 ** 20
const retryAfterMs = 100
const retryAtExitAfterMs = 10
const nothing = Buffer.alloc(0)

/**
 * Writes lines in their order. While that fails, the server goes on: some lines wait in memory, the others are lost and
 * reported afterwards.
 */
export class LogOutput {
  readonly #descriptor: number
  readonly #report: (lost: number) => void
  readonly #onFailure: (error: Error) => void
  #state: 'idle' | 'writing' | 'failed' = 'idle'
  #waiting = ''
  /** Of what was begun. */
  #rest: Buffer = nothing
  #lost = 0
  #unreported = 0
  #hasFailed = false

  /**
   * `report` gets the number of lost lines, where they are missing. `onFailure` gets the first error since everything
   * was written, unless the reader is only slow.
   */
  constructor(descriptor: number, report: (lost: number) => void, onFailure: (error: Error) => void) {
    this.#descriptor = descriptor
    this.#report = report
    this.#onFailure = onFailure
  }

  get lostLines(): number {
    return this.#lost
  }

  write(line: string): void {
    if (this.#unreported > 0 || this.#waiting.length > mostWaiting) {
      this.#lost++
      this.#unreported++
      return
    }
    this.#waiting += line
    if (this.#state === 'idle') this.#writeNext()
  }

  /** For the end of the process, where no callback is called. A write that was begun before is still completed. */
  flush(): void {
    if (this.#state === 'writing') this.#rest = nothing
    this.#state = 'writing'
    const giveUpAt = performance.now() + timeForLastLines
    while (this.#takeNext()) {
      try {
        this.#rest = this.#rest.subarray(writeSync(this.#descriptor, this.#rest))
      } catch (error) {
        if (!isFullPipe(error) || performance.now() > giveUpAt) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAtExitAfterMs)
      }
    }
  }

  #writeNext(): void {
    this.#state = 'writing'
    if (!this.#takeNext()) {
      this.#state = 'idle'
      this.#hasFailed = false
      return
    }
    write(this.#descriptor, this.#rest, (error, written) => {
      if (error === null) {
        this.#rest = this.#rest.subarray(written)
        this.#writeNext()
      } else {
        this.#state = 'failed'
        setTimeout(() => this.#writeNext(), retryAfterMs).unref()
        if (this.#hasFailed || isFullPipe(error)) return
        this.#hasFailed = true
        this.#onFailure(error)
      }
    })
  }

  #takeNext(): boolean {
    if (this.#rest.length > 0) return true
    if (this.#waiting === '' && this.#unreported > 0) {
      const lost = this.#unreported
      this.#unreported = 0
      this.#report(lost)
    }
    this.#rest = Buffer.from(this.#waiting)
    this.#waiting = ''
    return this.#rest.length > 0
  }
}

/** Its reader may only be slow. */
function isFullPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN'
}

/** A second descriptor of the terminal, whose writes fail instead of waiting for Ctrl-Q after Ctrl-S. */
function openTerminal(descriptor: number): number {
  try {
    return openSync(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // It may belong to another user, after su for example.
    return descriptor
  }
}

/** Until the process ends. */
export function openStandardOutput(report: (lost: number) => void): LogOutput {
  // Opening a stream makes a pipe non-blocking. Otherwise a write that nobody reads would keep the process from ending.
  const { fd } = process.stdout
  const output = new LogOutput(isatty(fd) ? openTerminal(fd) : fd, report, ({ message }) => {
    const text = `Standard output: ${message}. The log goes on once it can be written; until then, lines may be lost.\n`
    write(process.stderr.fd, text, () => {})
  })
  process.once('exit', () => output.flush())
  return output
}
