/** Then the first in the queue gets room: something large would wait until all small ones have run. */
const mostOvertaken = 12

/** Chooses what starts next: the first that fits, unless the first of all has been overtaken too often. */
export class FairQueue {
  #first: unknown
  #overtaken = 0

  /** Its place, or -1 if something must end first. */
  next<Item>(waiting: readonly Item[], fits: (item: Item) => boolean): number {
    if (waiting[0] !== this.#first) this.#overtaken = 0
    this.#first = waiting[0]
    const candidates = this.#overtaken < mostOvertaken ? waiting : waiting.slice(0, 1)
    const next = candidates.findIndex(fits)
    if (next === 0) this.#overtaken = 0
    if (next > 0) this.#overtaken++
    return next
  }
}
