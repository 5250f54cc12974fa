/** Thrown for an address that takes too much work to compare with the rules of a site. */
export class MatchBudgetError extends Error {
  override readonly name = 'MatchBudgetError'

  constructor() {
    super('The address takes too much work to compare with the rules of the site')
  }
}

/**
 * How much work one address may cause, in characters that are searched for near misses: a few milliseconds. A site with a
 * thousand patterns in one folder needs a fifth of it.
 */
const workPerAddress = 250_000

/** What a look at one segment of a rule costs, whatever the segment. */
export const workPerSegment = 8

/** The same for all that one check of a site compares when it is published. */
export const workPerCheck = 20_000_000

export class MatchBudget {
  #left: number

  constructor(work: number = workPerAddress) {
    this.#left = work
  }

  /** What uses up the budget is still done, so that one rule fits, however long the address is. */
  spend(work: number, times = 1): void {
    if (times === 0) return
    this.#left -= work * times
    if (this.#left + work < 0) throw new MatchBudgetError()
  }
}
