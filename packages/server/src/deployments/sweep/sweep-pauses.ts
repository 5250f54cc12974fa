import type { Id } from '@masthead/contract/schemas/fields.ts'

/** A pause is this many times as long as the sweep before it, so sweeping an account takes at most 5 % of a core. */
const pauseFactor = 20

/** When accounts may be swept again. It takes long to read the manifests of thousands of deployments. */
export class SweepPauses {
  readonly #clock: () => number
  readonly #until = new Map<Id<'account'>, number>()

  constructor(clock = () => performance.now()) {
    this.#clock = clock
  }

  /** Unless it pauses. */
  async run(accountId: Id<'account'>, work: () => Promise<void>): Promise<void> {
    const startedAt = this.#clock()
    if (startedAt < (this.#until.get(accountId) ?? startedAt)) return
    try {
      await work()
    } finally {
      const endedAt = this.#clock()
      this.#until.set(accountId, endedAt + pauseFactor * (endedAt - startedAt))
      for (const [id, until] of this.#until) if (until <= endedAt) this.#until.delete(id)
    }
  }
}
