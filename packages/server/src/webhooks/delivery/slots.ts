import type { Id } from '@masthead/contract/schemas/fields.ts'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'

/** An endpoint whose latest attempt took longer is slow. */
const usualSlowAfter = 2 * second
/** More are not remembered: those of the longest ago count as fast until their next attempt. */
const mostSlow = 5_000

export interface SlotRequest {
  accountId: Id<'account'>
  webhookId: Id<'webhook'>
  /** Whether its latest attempt was delivered. */
  isReliable: boolean
}

/**
 * How many deliveries run at once, shared by all accounts. A quarter of the slots is not for slow endpoints, and another
 * quarter only for reliable ones that are not slow. So they wait for nobody else, however many new endpoints hang.
 */
export class DeliverySlots {
  readonly #forAll: FairSemaphore
  readonly #forNew: FairSemaphore
  readonly #forReliable: FairSemaphore
  readonly #slowAfter: number
  readonly #slow = new Set<Id<'webhook'>>()

  constructor(size: number, slowAfter = usualSlowAfter) {
    const reserved = Math.floor(size / 4)
    this.#forAll = new FairSemaphore(size - 2 * reserved)
    this.#forNew = new FairSemaphore(reserved)
    this.#forReliable = new FairSemaphore(reserved)
    this.#slowAfter = slowAfter
  }

  get isFull(): boolean {
    return this.isFullForNew && this.#forReliable.isFull
  }

  get isFullForNew(): boolean {
    return this.isFullForSlow && this.#forNew.isFull
  }

  get isFullForSlow(): boolean {
    return this.#forAll.isFull
  }

  get slow(): ReadonlySet<Id<'webhook'>> {
    return this.#slow
  }

  heldBy(accountId: Id<'account'>): number {
    return [this.#forAll, this.#forNew, this.#forReliable].reduce(
      (sum, some) => sum + some.heldBy(accountId),
      0,
    )
  }

  /** Returns the function that releases it, or null if the account has its share. */
  tryAcquire({ accountId, webhookId, isReliable }: SlotRequest): (() => void) | null {
    const slots = this.#openFor(webhookId, isReliable).find((some) => some.tryAcquire(accountId))
    return slots === undefined ? null : () => slots.release(accountId)
  }

  /** First those that the fewest others may have, which leaves them the rest. */
  #openFor(webhookId: Id<'webhook'>, isReliable: boolean): FairSemaphore[] {
    if (this.#slow.has(webhookId)) return [this.#forAll]
    return isReliable ? [this.#forReliable, this.#forNew, this.#forAll] : [this.#forNew, this.#forAll]
  }

  noteAttempt(webhookId: Id<'webhook'>, ms: number): void {
    this.#slow.delete(webhookId)
    if (ms <= this.#slowAfter) return
    this.#slow.add(webhookId)
    const [oldest] = this.#slow
    if (this.#slow.size > mostSlow && oldest !== undefined) this.#slow.delete(oldest)
  }
}
