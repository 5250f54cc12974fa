import { createHmac, randomBytes } from 'node:crypto'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader, Tx } from '../../database/database.ts'
import { day } from '../../kernel/clock.ts'
import { isSameSecret } from '../../kernel/tokens.ts'
import { forgetNetworks, isKnownNetwork, saveNetwork } from '../session-store.ts'
import type { PersonRow } from '../store.ts'
import { type OpenedSession, openSession } from './session.ts'

/** Of each person; who travels more is a stranger again in the place visited longest ago. */
const mostNetworks = 20
export const devicesKeptFor = 180 * day

type Owner = Pick<PersonRow, 'id' | 'password_hash'>

/** Where a sign-in comes from: the network, and what the browser kept from an earlier one. */
export interface Device {
  network: string
  deviceToken: string | undefined
}

/**
 * Under what attempts from a place are counted where the person signed in before, or null. A browser comes first: in
 * the same network there may be a stranger.
 */
export async function findKnownDevice(
  db: Reader,
  person: Owner | undefined,
  { network, deviceToken }: Device,
): Promise<string | null> {
  // Asked for strangers too, so that the time it takes does not tell who has an account here.
  const known = await isKnownNetwork(db, person?.id ?? 'usr_', network)
  if (person === undefined) return null
  const device = deviceOf(person, deviceToken ?? '')
  if (device !== null) return `device ${device}`
  return known ? `network ${person.id} ${network}` : null
}

/** After a sign-in: the network is known from now on, and the browser is given a token of its own. */
async function rememberDevice(
  tx: Tx,
  person: Owner,
  { network, deviceToken }: Device,
  at: number,
): Promise<string> {
  await saveNetwork(tx, { person_id: person.id, network, last_at: at })
  await forgetNetworks(tx, person.id, { before: at - devicesKeptFor, beyond: mostNetworks })
  const device = deviceOf(person, deviceToken ?? '') ?? randomBytes(16).toString('base64url')
  return `${device}.${sign(person, device)}`
}

function deviceOf(person: Owner, token: string): string | null {
  const [device = '', signature = ''] = token.split('.')
  return /^[\w-]{22}$/.test(device) && isSameSecret(signature, sign(person, device)) ? device : null
}

/** The key is the stored hash, so nothing has to be kept for browsers, and another password ends all of them. */
function sign(person: Owner, device: string): string {
  const key = `masthead device ${person.password_hash}`
  return createHmac('sha256', key).update(`${person.id} ${device}`).digest('base64url')
}

/** Begins a session at a place that is known from now on. */
export async function openSessionOnDevice(
  tx: Tx,
  input: { person: PersonRow; accountId: Id<'account'> | null; place: Device; at: number },
): Promise<OpenedSession & { deviceToken: string }> {
  const { person, accountId, place, at } = input
  const opened = await openSession(tx, { personId: person.id, accountId, at })
  return { ...opened, deviceToken: await rememberDevice(tx, person, place, at) }
}
