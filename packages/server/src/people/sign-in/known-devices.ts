import { createHmac, randomBytes } from 'node:crypto'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader, Tx } from '../../database/database.ts'
import { day } from '../../kernel/clock.ts'
import { isSameSecret } from '../../kernel/tokens.ts'
import { forgetNetworks, isKnownNetwork, saveNetwork } from '../session-store.ts'
import type { PersonRow } from '../store.ts'
import { type OpenedSession, openSession, type SessionClient } from './session.ts'

/** Per person. Beyond this, the network used longest ago is forgotten. */
const maxNetworks = 20
export const devicesKeptFor = 180 * day

type Owner = Pick<PersonRow, 'id' | 'password_hash'>

/** Where a sign-in comes from: the network, and the token that the browser kept from an earlier sign-in. */
export interface Device {
  network: string
  deviceToken: string | undefined
  client: SessionClient
}

/**
 * The subject to count attempts by if the person signed in from this device before, else null. The browser token comes
 * first: strangers may share the network.
 */
export async function findKnownDevice(
  db: Reader,
  person: Owner | undefined,
  { network, deviceToken }: Device,
): Promise<string | null> {
  // Queried for unknown people too, so that timing does not reveal who has an account.
  const known = await isKnownNetwork(db, person?.id ?? 'usr_', network)
  if (person === undefined) return null
  const device = deviceOf(person, deviceToken ?? '')
  if (device !== null) return `device ${device}`
  return known ? `network ${person.id} ${network}` : null
}

/** Remembers the network and returns a token for the browser. */
async function rememberDevice(
  tx: Tx,
  person: Owner,
  { network, deviceToken }: Device,
  at: number,
): Promise<string> {
  await saveNetwork(tx, { person_id: person.id, network, last_at: at })
  await forgetNetworks(tx, person.id, { before: at - devicesKeptFor, beyond: maxNetworks })
  const device = deviceOf(person, deviceToken ?? '') ?? randomBytes(16).toString('base64url')
  return `${device}.${sign(person, device)}`
}

function deviceOf(person: Owner, token: string): string | null {
  const [device = '', signature = ''] = token.split('.')
  return /^[\w-]{22}$/.test(device) && isSameSecret(signature, sign(person, device)) ? device : null
}

/** Keyed with the password hash: browsers need no rows of their own, and a new password invalidates all tokens. */
function sign(person: Owner, device: string): string {
  const key = `masthead device ${person.password_hash}`
  return createHmac('sha256', key).update(`${person.id} ${device}`).digest('base64url')
}

/** Opens a session, and remembers the device. */
export async function openSessionOnDevice(
  tx: Tx,
  input: { person: PersonRow; accountId: Id<'account'> | null; device: Device; at: number },
): Promise<OpenedSession & { deviceToken: string }> {
  const { person, accountId, device, at } = input
  const opened = await openSession(tx, { personId: person.id, accountId, at, client: device.client })
  return { ...opened, deviceToken: await rememberDevice(tx, person, device, at) }
}
