const firstPause = 250
const longestPause = 4_000
const maxNames = 10_000

/** Names whose certificate could not be loaded. They are not tried again immediately, with exponential backoff. */
export class LoadBackoff {
  readonly #now: () => number
  readonly #names = new Map<string, { pause: number; until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** A time that is further ahead than the longest pause is from before the clock was set back. */
  isBackingOff(name: string): boolean {
    const left = (this.#names.get(name)?.until ?? 0) - this.#now()
    return left > 0 && left <= longestPause
  }

  add(name: string): void {
    const before = this.#names.get(name)
    const pause = before === undefined ? firstPause : Math.min(2 * before.pause, longestPause)
    if (before === undefined && this.#names.size >= maxNames) this.#names.clear()
    this.#names.set(name, { pause, until: this.#now() + pause })
  }

  /** After a successful load, or a change to these names; null means any name. */
  forget(names: readonly string[] | null): void {
    if (names === null) this.#names.clear()
    else for (const name of names) this.#names.delete(name)
  }
}
