/** Why the server cannot start, in words for who starts it: no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** What a terminal, a service manager or a container sends; one stop is often several of them, to one process or a group. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** For what is left to do when the grace is over: `docker stop` waits ten seconds, of which the default grace is eight. */
const timeToClose = 2_000

export type Stop = (graceMs: number) => Promise<void>

/** How a process ends: once, however often it is asked, and in time. */
export class Shutdown {
  readonly #exit: (code: number) => void
  readonly #started = Promise.withResolvers<Stop>()
  #graceMs = 0
  #isServing = false
  #isRequested = false

  constructor(exit: (code: number) => void = (code) => process.exit(code)) {
    this.#exit = exit
  }

  onSignals(): void {
    for (const signal of stopSignals) process.on(signal, () => this.request())
  }

  get isRequested(): boolean {
    return this.#isRequested
  }

  /** To be called before the first thing that a client could lose: until then a process that is asked to stop just ends. */
  mayServe(graceMs: number): void {
    this.#graceMs = graceMs
    this.#isServing = true
  }

  hasStarted(stop: Stop): void {
    this.#started.resolve(stop)
  }

  /** What failed while it was asked to stop is no fault: it was on its way out. */
  hasNotStarted(): void {
    this.#exit(this.#isRequested ? 0 : 1)
  }

  request(graceMs: number = this.#graceMs): void {
    if (this.#isRequested) return
    this.#isRequested = true
    if (!this.#isServing) {
      this.#exit(0)
      return
    }
    setTimeout(() => this.#exit(1), graceMs + timeToClose).unref()
    this.#started.promise
      .then((stop) => stop(graceMs))
      .then(
        () => this.#exit(0),
        () => this.#exit(1),
      )
  }
}
