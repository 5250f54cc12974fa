/** Callers without waiting items that are remembered, beyond as many as have some. */
const spareCallers = 64

/**
 * Queues of callers that are served in turn. A caller whose queue runs empty is remembered for a while: forgetting and
 * adding it at every item would give the Map a new table each time, and V8 keeps all of those until a full collection.
 */
export class RoundRobin<Item> {
  readonly #queues = new Map<string, Item[]>()
  /** Those with items, next first. */
  readonly #round: Item[][] = []

  get isEmpty(): boolean {
    return this.#round.length === 0
  }

  waitingOf(caller: string): number {
    return this.#queues.get(caller)?.length ?? 0
  }

  add(caller: string, item: Item): void {
    const queue = this.#queues.get(caller) ?? this.#addCaller(caller)
    queue.push(item)
    if (queue.length === 1) this.#round.push(queue)
  }

  /** Takes the first item of the caller whose turn it is. */
  take(): Item | undefined {
    const queue = this.#round.shift()
    const item = queue?.shift()
    if (queue !== undefined && queue.length > 0) this.#round.push(queue)
    return item
  }

  #addCaller(caller: string): Item[] {
    if (this.#queues.size >= 2 * this.#round.length + spareCallers) this.#forgetIdle()
    const queue: Item[] = []
    this.#queues.set(caller, queue)
    return queue
  }

  #forgetIdle(): void {
    for (const [caller, queue] of this.#queues) if (queue.length === 0) this.#queues.delete(caller)
  }
}
