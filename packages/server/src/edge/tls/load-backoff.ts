/** Names that could not be loaded, which are not tried again at once: what fails is not helped by more of it. */
export class LoadBackoff {
  readonly #now: () => number
  readonly #names = new Map<string, { pause: number; until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  isTooSoon(name: string): boolean {
    return this.#now() < (this.#names.get(name)?.until ?? 0)
  }

  add(name: string): void {
    const before = this.#names.get(name)
    const pause = before === undefined ? firstPause : Math.min(2 * before.pause, longestPause)
    if (before === undefined && this.#names.size >= mostNames) this.#names.clear()
    this.#names.set(name, { pause, until: this.#now() + pause })
  }

  /** It could be loaded, or something about it has changed; null: about any. */
  forget(names: readonly string[] | null): void {
    if (names === null) this.#names.clear()
    else for (const name of names) this.#names.delete(name)
  }
}

const firstPause = 250
const longestPause = 4_000
const mostNames = 10_000
