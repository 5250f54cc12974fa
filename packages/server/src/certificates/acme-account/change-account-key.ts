import type { Tx } from '../../database/database.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import { AcmeProblem } from '../acme/problem.ts'
import type { Authority } from '../authorities/authorities.ts'
import type { IssuingContext } from '../context.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, type KeyPair, keyPairFromPem, privateKeyPem } from '../x509/key-pair.ts'
import { deleteAccount, findAccountRow, insertAccount, setAccountKey } from './account-store.ts'

type KeyContext = Pick<IssuingContext, 'database' | 'now' | 'sealing'>

/** Stored in the accounts table like an account of its own, so it is sealed and resealed like any other key. */
const nextKeyRow = (directory: string) => `${directory}#next`

/** Stores the next key before the CA learns of it. Reuses one that an interrupted change left. */
async function storeNextKey({ database, now, sealing }: KeyContext, directory: string): Promise<KeyPair> {
  const purpose = purposes.account(nextKeyRow(directory))
  const sealed_key = sealing.seal(privateKeyPem(await generateKeyPair()), purpose)
  const row = { directory: nextKeyRow(directory), url: null, sealed_key, created_at: now() }
  await database.write((tx) => insertAccount(tx, row))
  const stored = await findAccountRow(database.read, nextKeyRow(directory))
  return keyPairFromPem(sealing.open(stored?.sealed_key ?? sealed_key, purpose).toString())
}

/** Call if the account it was meant for is replaced. */
export async function deleteNextKey(tx: Tx, directory: string): Promise<void> {
  await deleteAccount(tx, nextKeyRow(directory))
}

/** Switches to the next key if the CA already uses it. Only the CA knows: the response to the change may be lost. */
export async function adoptNextKey(
  { database, sealing }: Pick<KeyContext, 'database' | 'sealing'>,
  client: Pick<AcmeClient, 'findAccount'>,
  directory: string,
): Promise<boolean> {
  const next = await findAccountRow(database.read, nextKeyRow(directory))
  if (next === undefined) return false
  const pem = sealing.open(next.sealed_key, purposes.account(nextKeyRow(directory))).toString()
  const account = await client.findAccount(keyPairFromPem(pem))
  if (account === null) return false
  await database.write(async (tx) => {
    await setAccountKey(tx, directory, account.url, sealing.seal(pem, purposes.account(directory)))
    await deleteNextKey(tx, directory)
  })
  return true
}

/** Shown to the operator who runs the command. */
export class AccountKeyError extends Error {
  override readonly name = 'AccountKeyError'
}

/**
 * Changes the key of our account at the CA while the server runs. The new key is stored before the CA learns of it,
 * so after an interruption we have both: this can be run again, and a server whose key is rejected checks whether the
 * CA already uses the other one.
 */
export async function changeAccountKey(
  context: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  client: Pick<AcmeClient, 'findAccount' | 'changeKey'>,
  { directoryUrl, title }: Pick<Authority, 'directoryUrl' | 'title'>,
): Promise<void> {
  const { database, sealing } = context
  const row = await findAccountRow(database.read, directoryUrl)
  if (row === undefined || row.url === null) {
    throw new AccountKeyError(
      `There is no account at ${title} yet. It is created with the first certificate.`,
    )
  }
  const key = keyPairFromPem(sealing.open(row.sealed_key, purposes.account(directoryUrl)).toString())
  const next = await storeNextKey(context, directoryUrl)
  try {
    if (await adoptNextKey(context, client, directoryUrl)) return
    await client.changeKey({ key, url: row.url }, next)
    if (await adoptNextKey(context, client, directoryUrl)) return
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error
    throw new AccountKeyError(`${error.message}. Run this again: both keys are stored, so nothing is lost.`)
  }
  throw new AccountKeyError(`${title} accepted the new key but does not recognize it. Run this again.`)
}
