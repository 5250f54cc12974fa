import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent, system } from '../events/record-event.ts'
import { personAsActor } from './person.ts'
import { membershipsOf, type PersonRow } from './store.ts'

/** How many failures in a row are told: few events, however long somebody goes on guessing. */
const toldFailures = new Set([5, 20, 100, 500, 2_500, 10_000])
/** A sign-in is told in every account of the person; nobody has more that matter. */
const mostAccounts = 20

interface SignIn {
  person: Pick<PersonRow, 'id' | 'name' | 'email'>
  network: string
  at: number
}

export function recordSignIn(tx: Tx, { person, network, at }: SignIn, known: boolean): Promise<void> {
  const data = { email: person.email, network, known }
  return recordEverywhere(tx, person, { type: 'member.signed_in', by: personAsActor(person), at, data })
}

export const isTold = (failures: number) => toldFailures.has(failures)

export function recordFailures(tx: Tx, { person, network, at }: SignIn, failures: number): Promise<void> {
  const data = { email: person.email, network, failures }
  return recordEverywhere(tx, person, { type: 'member.sign_in_failed', by: system, at, data })
}

async function recordEverywhere(
  tx: Tx,
  person: Pick<PersonRow, 'id'>,
  event: {
    type: 'member.signed_in' | 'member.sign_in_failed'
    by: EventActor
    at: number
    data: Record<string, unknown>
  },
): Promise<void> {
  const accounts = await membershipsOf(tx, person.id)
  for (const { id } of accounts.slice(0, mostAccounts)) await recordEvent(tx, { ...event, accountId: id })
}
