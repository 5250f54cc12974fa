import { z } from 'zod'
import type { KeyPair } from '../x509/key-pair.ts'
import { type AcmeConnection, locationOf } from './connection.ts'
import { AcmeProblem } from './problem.ts'
import { readJson } from './read-response.ts'
import { type ExternalAccount, externalAccountBinding, keyChangePayload } from './signed-request.ts'

/** The caller stores both; nothing else is needed after a restart. */
export interface AcmeAccount {
  key: KeyPair
  url: string
}

export interface Registration {
  key: KeyPair
  /** An email address where the CA can send warnings. */
  contact?: string
  externalAccount?: ExternalAccount
}

/**
 * Finds or creates the account of this key. By configuring a CA the operator agrees to its terms, which are linked in
 * `directory().meta.termsOfService`.
 */
export async function register(
  connection: AcmeConnection,
  { key, contact, externalAccount }: Registration,
): Promise<AcmeAccount> {
  const { newAccount } = await connection.directory()
  const payload = {
    termsOfServiceAgreed: true,
    ...(contact !== undefined && { contact: [`mailto:${contact}`] }),
    ...(externalAccount !== undefined && {
      externalAccountBinding: await externalAccountBinding(key, externalAccount, newAccount),
    }),
  }
  const response = await connection.post({ key, url: null }, newAccount, payload)
  return { key, url: locationOf(response) }
}

/** Null if the CA has no account for this key. */
export async function findAccount(connection: AcmeConnection, key: KeyPair): Promise<AcmeAccount | null> {
  const { newAccount } = await connection.directory()
  try {
    const response = await connection.post({ key, url: null }, newAccount, { onlyReturnExisting: true })
    return { key, url: locationOf(response) }
  } catch (error) {
    if (error instanceof AcmeProblem && error.kind === 'account_missing') return null
    throw error
  }
}

const statusBody = z.object({ status: z.string().max(50) })

/** Why the CA refuses the account: it was deactivated, or revoked by the CA. Null if it does not. */
export async function accountRefusal(
  connection: AcmeConnection,
  account: AcmeAccount,
): Promise<string | null> {
  try {
    const { status } = readJson(await connection.post(account, account.url), statusBody)
    return status === 'valid' ? null : `The CA says that the account is ${status}`
  } catch (error) {
    if (error instanceof AcmeProblem && error.kind === 'account_refused') return error.message
    throw error
  }
}

/**
 * Changes the key of an account. Store the new key before the call: if the response is lost, use `findAccount` to
 * find out which of the two the CA uses.
 */
export async function changeKey(
  connection: AcmeConnection,
  account: AcmeAccount,
  newKey: KeyPair,
): Promise<AcmeAccount> {
  const { keyChange: url } = await connection.directory()
  const payload = await keyChangePayload({ oldKey: account.key, newKey, accountUrl: account.url, url })
  await connection.post(account, url, payload)
  return { key: newKey, url: account.url }
}
