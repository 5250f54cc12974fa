import { deleteAccount, findAccountRow, insertAccount, setAccountKey } from './account-store.ts'
import type { AcmeClient } from './acme/acme-client.ts'
import type { IssuingContext } from './context.ts'
import { type KeyPair, keyPairFromPem, newKeyPair, privateKeyPem } from './key-pair.ts'
import { purposes } from './sealed-values.ts'

type KeyContext = Pick<IssuingContext, 'database' | 'now' | 'sealing'>

/** Beside the account, as if it were one: so it is stored, sealed and sealed anew like the key it follows. */
const nextOf = (directory: string) => `${directory}#next`

/** The key that is to follow, stored before the CA hears of it. One that was stored before is taken up. */
export async function keepNextKey(
  { database, now, sealing }: KeyContext,
  directory: string,
): Promise<KeyPair> {
  const purpose = purposes.account(nextOf(directory))
  const sealed_key = sealing.seal(privateKeyPem(await newKeyPair()), purpose)
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
