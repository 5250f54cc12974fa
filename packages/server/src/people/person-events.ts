import type { EventType } from '@masthead/contract/events.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent, system } from '../events/record-event.ts'
import { personAsActor } from './person.ts'
import { membershipsOf, type PersonRow } from './store.ts'

/** Records the event in every account of the person. */
export async function recordPersonEvent(
  tx: Tx,
  person: Pick<PersonRow, 'id' | 'email'>,
  event: { type: EventType; by: EventActor; at: number; data?: Record<string, unknown> },
): Promise<void> {
  for (const { id } of await membershipsOf(tx, person.id)) {
    const data = { personId: person.id, email: person.email, ...event.data }
    await recordEvent(tx, { ...event, accountId: id, data })
  }
}

/** Failures in a row that are recorded: few events, however long somebody guesses. */
const reportedFailures = new Set([5, 20, 100, 500, 2_500, 10_000])
/** A sign-in is recorded in at most this many accounts of the person. */
const maxAccounts = 20

interface SignIn {
  person: Pick<PersonRow, 'id' | 'name' | 'email'>
  network: string
  at: number
}

export function recordSignIn(tx: Tx, { person, network, at }: SignIn, known: boolean): Promise<void> {
  const data = { email: person.email, network, known }
  return recordInEveryAccount(tx, person, { type: 'member.signed_in', by: personAsActor(person), at, data })
}

export const isReported = (failures: number) => reportedFailures.has(failures)

export function recordFailures(tx: Tx, { person, network, at }: SignIn, failures: number): Promise<void> {
  const data = { email: person.email, network, failures }
  return recordInEveryAccount(tx, person, { type: 'member.sign_in_failed', by: system, at, data })
}

async function recordInEveryAccount(
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
  for (const { id } of accounts.slice(0, maxAccounts)) await recordEvent(tx, { ...event, accountId: id })
}
