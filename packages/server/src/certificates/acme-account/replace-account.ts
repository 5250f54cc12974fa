import type { Registration } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'
import type { IssuingContext } from '../context.ts'
import { forgetOrdersOf, retryRefused } from '../jobs/job-store.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, keyPairFromPem, privateKeyPem } from '../x509/key-pair.ts'
import { findAccountRow, replaceAccountKey, setAccountUrl } from './account-store.ts'
import { AccountKeyError, adoptNextKey, deleteNextKey } from './change-account-key.ts'
import { readAccount, type StoredAccount } from './registration.ts'

type ReplacingContext = Pick<IssuingContext, 'database' | 'sealing' | 'now'>
type ReplacingClient = Pick<AcmeClient, 'accountRefusal' | 'findAccount' | 'register'>

/** `none`: there was no account yet. */
export type Replacement = 'replaced' | 'valid' | 'none'

/**
 * Registers a new account in place of one that the CA refuses. The operator decides this: a CA may have revoked the
 * account for a reason. If we are interrupted, or the CA refuses the new account, the next call continues. So does a
 * running server, which learns of it when the CA refuses the old account the next time.
 */
export async function replaceRefusedAccount(
  context: ReplacingContext,
  client: ReplacingClient,
  directory: string,
  registration: Omit<Registration, 'key'>,
): Promise<Replacement> {
  const { database, sealing, now } = context
  const purpose = purposes.account(directory)
  const account = await readAccount(context, directory)
  if (account !== null) {
    const refused = await asOperator(findRefused(context, client, directory, account))
    if (refused === null) {
      // A server that registered it, or the CA that accepts it again, leaves names waiting for up to a day.
      await database.write((tx) => retryRefused(tx, now()))
      return 'valid'
    }
    const newSealedKey = sealing.seal(privateKeyPem(await generateKeyPair()), purpose)
    const isReplaced = await database.write(async (tx) => {
      if (!(await replaceAccountKey(tx, { directory, sealed_key: refused.sealedKey }, newSealedKey)))
        return false
      await deleteNextKey(tx, directory)
      await forgetOrdersOf(tx, directory)
      return true
    })
    // The next key and the orders belong to what another process has put there.
    if (!isReplaced) return replaceRefusedAccount(context, client, directory, registration)
  }
  const row = await findAccountRow(database.read, directory)
  if (row === undefined) return 'none'
  const key = keyPairFromPem(sealing.open(row.sealed_key, purpose).toString())
  const { url } = await asOperator(client.register({ ...registration, key }))
  await database.write(async (tx) => {
    await setAccountUrl(tx, directory, url)
    await retryRefused(tx, now())
  })
  return 'replaced'
}

/** How CAs reject an old key, besides refusing the account, after a change of the key that was interrupted. */
const oldKeyKinds: ReadonlySet<AcmeProblemKind> = new Set(['malformed', 'account_missing'])

/** The account if the CA refuses it or no longer knows it, also with the next key; null if it is valid. */
async function findRefused(
  context: ReplacingContext,
  client: ReplacingClient,
  directory: string,
  account: StoredAccount,
): Promise<StoredAccount | null> {
  const refusal = await client.accountRefusal(account).catch((error: unknown) => {
    if (error instanceof AcmeProblem && oldKeyKinds.has(error.kind)) return error
    throw error
  })
  if (refusal === null) return null
  const hasNextKey = await adoptNextKey(context, client, directory).catch((error: unknown) => {
    if (error instanceof AcmeProblem && error.kind === 'account_refused') return false
    throw error
  })
  const other = hasNextKey ? await readAccount(context, directory) : null
  if (other !== null) return (await client.accountRefusal(other)) === null ? null : other
  if (refusal instanceof AcmeProblem && refusal.kind === 'malformed') throw refusal
  return account
}

async function asOperator<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw error instanceof AcmeProblem ? new AccountKeyError(`${error.message}.`) : error
  }
}
