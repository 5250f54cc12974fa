import { clearAccountUrl, findAccountRow, insertAccount, setAccountUrl } from './account-store.ts'
import type { AcmeAccount, Registration } from './acme/account.ts'
import type { AcmeClient } from './acme/acme-client.ts'
import type { IssuingContext } from './context.ts'
import { keyPairFromPem, newKeyPair, privateKeyPem } from './key-pair.ts'
import { adoptNextKey } from './next-account-key.ts'
import { purposes } from './sealed-values.ts'

/** As it was read: another process may have given it another key since. */
export interface KeptAccount extends AcmeAccount {
  sealedKey: string
}

export interface AccountKeeper {
  /** The account of this installation at the CA: made once, shared by all processes. */
  account(): Promise<KeptAccount>
  /** Whether it has another key by now, which is the one that is given out next. */
  hasOtherKey(account: KeptAccount): Promise<boolean>
  /** The CA does not know it any more: it is registered again when it is asked for next. */
  forget(account: AcmeAccount): Promise<void>
}

export function keepAccount(
  { database, now, sealing }: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  client: Pick<AcmeClient, 'register' | 'findAccount'>,
  directory: string,
  registration: Omit<Registration, 'key'>,
): AccountKeeper {
  let known: Promise<KeptAccount> | undefined
  const purpose = purposes.account(directory)

  /** The key is stored before the CA hears of it. To register it twice, after a crash or by two, gives one account. */
  async function open(): Promise<KeptAccount> {
    let row = await findAccountRow(database.read, directory)
    if (row === undefined) {
      const sealed_key = sealing.seal(privateKeyPem(await newKeyPair()), purpose)
      await database.write((tx) => insertAccount(tx, { directory, url: null, sealed_key, created_at: now() }))
      row = await findAccountRow(database.read, directory)
    }
    if (row === undefined) throw new Error(`The account at ${directory} is gone`)
    const { sealed_key: sealedKey } = row
    const key = keyPairFromPem(sealing.open(sealedKey, purpose).toString())
    if (row.url !== null) return { key, url: row.url, sealedKey }
    const account = await client.register({ ...registration, key })
    await database.write((tx) => setAccountUrl(tx, directory, account.url))
    return { ...account, sealedKey }
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
    async hasOtherKey({ sealedKey }) {
      const isAdopted = await adoptNextKey({ database, sealing }, client, directory)
      const row = await findAccountRow(database.read, directory)
      const isOther = isAdopted || row?.sealed_key !== sealedKey
      if (isOther) known = undefined
      return isOther
    },
    async forget({ url }) {
      await database.write((tx) => clearAccountUrl(tx, directory, url))
      known = undefined
    },
  }
}
