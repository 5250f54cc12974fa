import { purposes } from '../../secrets/sealed-values.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import { AcmeProblem } from '../acme/problem.ts'
import type { Authority } from '../authorities/authorities.ts'
import type { IssuingContext } from '../context.ts'
import { generateKeyPair, type KeyPair, keyPairFromPem, privateKeyPem } from '../x509/key-pair.ts'
import { deleteAccount, findAccountRow, insertAccount, setAccountKey } from './account-store.ts'

type KeyContext = Pick<IssuingContext, 'database' | 'now' | 'sealing'>

/** Beside the account, as if it were one: so it is stored, sealed and sealed anew like the key it follows. */
const nextOf = (directory: string) => `${directory}#next`

/** The key that is to follow, stored before the CA hears of it. One that was stored before is taken up. */
async function storeNextKey({ database, now, sealing }: KeyContext, directory: string): Promise<KeyPair> {
  const purpose = purposes.account(nextOf(directory))
  const sealed_key = sealing.seal(privateKeyPem(await generateKeyPair()), purpose)
  const row = { directory: nextOf(directory), url: null, sealed_key, created_at: now() }
  await database.write((tx) => insertAccount(tx, row))
  const stored = await findAccountRow(database.read, nextOf(directory))
  return keyPairFromPem(sealing.open(stored?.sealed_key ?? sealed_key, purpose).toString())
}

/** Where the CA goes by the key that was to follow, so do we. Asked of the CA itself: a lost answer may have been a yes. */
export async function adoptNextKey(
  { database, sealing }: Pick<KeyContext, 'database' | 'sealing'>,
  client: Pick<AcmeClient, 'findAccount'>,
  directory: string,
): Promise<boolean> {
  const next = await findAccountRow(database.read, nextOf(directory))
  if (next === undefined) return false
  const pem = sealing.open(next.sealed_key, purposes.account(nextOf(directory))).toString()
  const account = await client.findAccount(keyPairFromPem(pem))
  if (account === null) return false
  await database.write(async (tx) => {
    await setAccountKey(tx, directory, account.url, sealing.seal(pem, purposes.account(directory)))
    await deleteAccount(tx, nextOf(directory))
  })
  return true
}

/** Told to whoever runs the command. */
export class AccountKeyError extends Error {
  override readonly name = 'AccountKeyError'
}

/**
 * Gives the account of this installation another key, while it is in use. The new one is stored before the CA hears of
 * it, so wherever this is interrupted either key is at hand: it can be run again, and a server whose key is refused
 * looks for itself whether the other one counts by now.
 */
export async function changeAccountKey(
  context: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  client: Pick<AcmeClient, 'findAccount' | 'changeKey'>,
  { directoryUrl, title }: Pick<Authority, 'directoryUrl' | 'title'>,
): Promise<void> {
  const { database, sealing } = context
  const row = await findAccountRow(database.read, directoryUrl)
  if (row === undefined || row.url === null) {
    throw new AccountKeyError(`There is no account at ${title} yet. It is made with the first certificate.`)
  }
  const key = keyPairFromPem(sealing.open(row.sealed_key, purposes.account(directoryUrl)).toString())
  const next = await storeNextKey(context, directoryUrl)
  try {
    if (await adoptNextKey(context, client, directoryUrl)) return
    await client.changeKey({ key, url: row.url }, next)
    if (await adoptNextKey(context, client, directoryUrl)) return
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error
    throw new AccountKeyError(`${error.message}. Run this again: nothing is lost, whichever key counts.`)
  }
  throw new AccountKeyError(`${title} does not know the new key, though it took it. Run this again.`)
}
