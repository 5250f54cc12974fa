import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Context } from '../database/database.ts'
import { recordEvent, system } from '../events/record-event.ts'
import { keepNewest } from '../kernel/cache/keep-newest.ts'
import { hour } from '../kernel/clock.ts'

export interface RefusedToken {
  accountId: Id<'account'>
  projectId: Id<'project'>
  data: { slug: string; reason: string; detail: string; issuer?: string }
}

const perHour = 30
const maxAccounts = 10_000

/** Records refused tokens in the activity of the account, but lets no stranger fill it. */
export class Refusals {
  readonly #context: Context
  readonly #counts = new Map<string, { since: number; count: number }>()

  constructor(context: Context) {
    this.#context = context
  }

  async record({ accountId, projectId, data }: RefusedToken): Promise<void> {
    const { database, now } = this.#context
    const at = now()
    if (!this.#hasRoom(accountId, at)) return
    await database.write((tx) =>
      recordEvent(tx, { accountId, type: 'publisher.refused', by: system, at, projectId, data }),
    )
  }

  #hasRoom(accountId: string, at: number): boolean {
    const known = this.#counts.get(accountId)
    const current = known !== undefined && at - known.since < hour ? known : { since: at, count: 0 }
    keepNewest(this.#counts, accountId, current, maxAccounts)
    return ++current.count <= perHour
  }
}
