import { clearAccountUrl, findAccountRow, insertAccount, setAccountUrl } from './account-store.ts'
import type { AcmeAccount, Registration } from './acme/account.ts'
import type { AcmeClient } from './acme/acme-client.ts'
import type { IssuingContext } from './context.ts'
import { keyPairFromPem, newKeyPair, privateKeyPem } from './key-pair.ts'
import { purposes } from './sealed-values.ts'

export interface AccountKeeper {
  /** The account of this installation at the CA: made once, shared by all processes. */
  account(): Promise<AcmeAccount>
  /** The CA does not know it any more: it is registered again when it is asked for next. */
  forget(account: AcmeAccount): Promise<void>
}

export function keepAccount(
  { database, now, sealing }: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  client: Pick<AcmeClient, 'register'>,
  directory: string,
  registration: Omit<Registration, 'key'>,
): AccountKeeper {
  let known: Promise<AcmeAccount> | undefined
  const purpose = purposes.account(directory)

  /** The key is stored before the CA hears of it. To register it twice, after a crash or by two, gives one account. */
  async function open(): Promise<AcmeAccount> {
    let row = await findAccountRow(database.read, directory)
    if (row === undefined) {
      const sealed_key = sealing.seal(privateKeyPem(await newKeyPair()), purpose)
      await database.write((tx) => insertAccount(tx, { directory, url: null, sealed_key, created_at: now() }))
      row = await findAccountRow(database.read, directory)
    }
    if (row === undefined) throw new Error(`The account at ${directory} is gone`)
    const key = keyPairFromPem(sealing.open(row.sealed_key, purpose).toString())
    if (row.url !== null) return { key, url: row.url }
    const account = await client.register({ ...registration, key })
    await database.write((tx) => setAccountUrl(tx, directory, account.url))
    return account
  }

  return {
    account() {
      known ??= open()
      const asked = known
      asked.catch(() => {
        if (known === asked) known = undefined
      })
      return asked
    },
    async forget({ url }) {
      await database.write((tx) => clearAccountUrl(tx, directory, url))
      known = undefined
    },
  }
}
