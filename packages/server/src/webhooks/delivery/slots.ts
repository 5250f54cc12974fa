import type { Id } from '@masthead/contract/schemas/fields.ts'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'

/** An endpoint whose latest attempt took longer is slow. */
const usualSlowAfter = 2 * second
/** More are not remembered: those of the longest ago count as fast until their next attempt. */
const mostSlow = 5_000

/**
 * How many deliveries run at once, shared by all accounts. Slow endpoints cannot have a quarter of the slots, so that
 * they hold up nobody whose endpoints are fast, however many they are.
 */
export class DeliverySlots {
  readonly #shared: FairSemaphore
  readonly #reserved: FairSemaphore
  readonly #slowAfter: number
  readonly #slow = new Set<Id<'webhook'>>()

  constructor(size: number, slowAfter = usualSlowAfter) {
    const reserved = Math.floor(size / 4)
    this.#shared = new FairSemaphore(size - reserved)
    this.#reserved = new FairSemaphore(reserved)
    this.#slowAfter = slowAfter
  }

  get isFull(): boolean {
    return this.isFullForSlow && this.#reserved.isFull
  }

  get isFullForSlow(): boolean {
    return this.#shared.isFull
  }

  get slow(): ReadonlySet<Id<'webhook'>> {
    return this.#slow
  }

  heldBy(accountId: Id<'account'>): number {
    return this.#shared.heldBy(accountId) + this.#reserved.heldBy(accountId)
  }

  /** Returns the function that releases it, or null if the account has its share. */
  tryAcquire(accountId: Id<'account'>, webhookId: Id<'webhook'>): (() => void) | null {
    const open = this.#slow.has(webhookId) ? [this.#shared] : [this.#shared, this.#reserved]
    const slots = open.find((some) => some.tryAcquire(accountId))
    return slots === undefined ? null : () => slots.release(accountId)
  }

  noteAttempt(webhookId: Id<'webhook'>, ms: number): void {
    this.#slow.delete(webhookId)
    if (ms <= this.#slowAfter) return
    this.#slow.add(webhookId)
    const [oldest] = this.#slow
    if (this.#slow.size > mostSlow && oldest !== undefined) this.#slow.delete(oldest)
  }
}
