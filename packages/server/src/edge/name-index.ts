/** Which keys go by a name, so that those are found without looking at all of them. A key is always a name of its own. */
export class NameIndex {
  readonly #keys = new Map<string, Set<string>>()

  get size(): number {
    return this.#keys.size
  }

  add(key: string, names: readonly string[]): void {
    for (const name of names) {
      const keys = this.#keys.get(name)
      if (keys === undefined) this.#keys.set(name, new Set([key]))
      else keys.add(key)
    }
  }

  remove(key: string, names: readonly string[]): void {
    for (const name of names) {
      const keys = this.#keys.get(name)
      keys?.delete(key)
      if (keys?.size === 0) this.#keys.delete(name)
    }
  }

  keysOf(name: string): string[] {
    return [name, ...(this.#keys.get(name) ?? [])]
  }
}
