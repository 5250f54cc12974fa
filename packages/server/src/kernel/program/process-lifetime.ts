/** Something the operator has to fix. The message says what happened and what to do: shown without a stack trace. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** Why the server cannot start. */
export class StartError extends OperatorError {
  override readonly name = 'StartError'
}

/** Sent by a terminal, a service manager or a container. One stop is often several signals, to a process or a group. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** How long the exit may wait for a reader of the log, in milliseconds. */
export const timeForLastLines = 500

/** For closing after the grace period: `docker stop` waits ten seconds, and the default grace period is eight. */
const timeToClose = 2_000 - timeForLastLines

export interface StopTimes {
  /** How long to serve as usual while load balancers notice that this process is no longer ready. */
  drainMs: number
  /** How long running requests may take after that. */
  graceMs: number
  /** How long idle connections may still send a request; omitted for the default. */
  idleMs?: number | undefined
}

/** Nobody waits for a process that was replaced, so slow clients get time to send their next request or to leave. */
const idleAfterReplacement = 5_000
/** And long transfers time to finish. */
const graceAfterReplacement = 600_000

export type Stop = (times: StopTimes) => Promise<void>

/** Ends a process once, however often it is asked to stop, and in time. */
export class Shutdown {
  readonly #exit: (code: number) => void
  readonly #started = Promise.withResolvers<Stop>()
  #times: StopTimes = { drainMs: 0, graceMs: 0 }
  #isServing = false
  #isRequested = false
  #isLeaving = false
  #isReplaced = false

  constructor(exit: (code: number) => void = (code) => process.exit(code)) {
    this.#exit = exit
  }

  onSignals(): void {
    for (const signal of stopSignals) process.on(signal, () => this.request())
  }

  get isRequested(): boolean {
    return this.#isRequested
  }

  /** Whether load balancers should send requests elsewhere. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** Call this before the first client can connect: until then a process that is asked to stop just exits. */
  mayServe(times: StopTimes): void {
    this.#times = times
    this.#isServing = true
  }

  hasStarted(stop: Stop): void {
    this.#started.resolve(stop)
  }

  /** A failed start does not count as an error if the process was asked to stop. */
  hasNotStarted(): void {
    this.#exit(this.#isRequested ? 0 : 1)
  }

  /** Another process serves on the same ports, so this one stays ready for as long as it answers. */
  replaced(): void {
    const graceMs = Math.max(this.#times.graceMs, graceAfterReplacement)
    this.#stop({ drainMs: 0, graceMs, idleMs: idleAfterReplacement })
    this.#isReplaced = true
  }

  request(times: StopTimes = this.#times): void {
    this.#isLeaving = true
    // Now somebody waits for it.
    if (this.#isReplaced) this.#exitAfter(times)
    this.#stop(times)
  }

  #stop(times: StopTimes): void {
    if (this.#isRequested) return
    this.#isRequested = true
    if (!this.#isServing) {
      this.#exit(0)
      return
    }
    this.#exitAfter(times)
    this.#started.promise
      .then((stop) => stop(times))
      .then(
        () => this.#exit(0),
        () => this.#exit(1),
      )
  }

  #exitAfter({ drainMs, graceMs }: StopTimes): void {
    setTimeout(() => this.#exit(1), drainMs + graceMs + timeToClose).unref()
  }
}
