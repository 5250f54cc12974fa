import type { KeyPair } from '../x509/key-pair.ts'
import { type AcmeConnection, locationOf } from './connection.ts'
import { AcmeProblem } from './problem.ts'
import { type ExternalAccount, externalAccountBinding, keyChangePayload } from './signed-request.ts'

/** The caller keeps both; nothing else is needed to go on after a restart. */
export interface AcmeAccount {
  key: KeyPair
  url: string
}

export interface Registration {
  key: KeyPair
  /** An e-mail address for the CA's own warnings. */
  contact?: string
  externalAccount?: ExternalAccount
}

/**
 * The account of this key, made where there is none. Whoever puts a CA into the settings agrees to its terms;
 * `directory().meta.termsOfService` says where they stand.
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
  const answer = await connection.post({ key, url: null }, newAccount, payload)
  return { key, url: locationOf(answer) }
}

/** The account of this key, or null where the CA knows none. */
export async function findAccount(connection: AcmeConnection, key: KeyPair): Promise<AcmeAccount | null> {
  const { newAccount } = await connection.directory()
  try {
    const answer = await connection.post({ key, url: null }, newAccount, { onlyReturnExisting: true })
    return { key, url: locationOf(answer) }
  } catch (error) {
    if (error instanceof AcmeProblem && error.kind === 'account_missing') return null
    throw error
  }
}

/**
 * Gives the account another key. Keep the new key before the call: if the answer is lost, `findAccount` tells
 * which of the two the CA goes by.
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
