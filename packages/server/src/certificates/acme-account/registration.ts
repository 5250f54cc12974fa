import type { Context, Database } from '../../database/database.ts'
import { purposes } from '../../secrets/sealed-values.ts'
import type { AcmeAccount, Registration } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import type { Authority } from '../authorities/authorities.ts'
import type { IssuingContext } from '../context.ts'
import { generateKeyPair, keyPairFromPem, privateKeyPem } from '../x509/key-pair.ts'
import { clearAccountUrl, findAccountRow, insertAccount, setAccountUrl } from './account-store.ts'
import { adoptNextKey } from './change-account-key.ts'

/** As it was read: another process may have given it another key since. */
export interface StoredAccount extends AcmeAccount {
  sealedKey: string
}

export interface AccountKeeper {
  /** The account of this installation at the CA: made once, shared by all processes. */
  account(): Promise<StoredAccount>
  /** Whether it has another key by now, which is the one that is given out next. */
  hasOtherKey(account: StoredAccount): Promise<boolean>
  /** The CA does not know it any more: it is registered again when it is asked for next. */
  forget(account: AcmeAccount): Promise<void>
}

export function createAccountKeeper(
  { database, now, sealing }: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  client: Pick<AcmeClient, 'register' | 'findAccount'>,
  directory: string,
  registration: Omit<Registration, 'key'>,
): AccountKeeper {
  let known: Promise<StoredAccount> | undefined
  const purpose = purposes.account(directory)

  /** The key is stored before the CA hears of it. To register it twice, after a crash or by two, gives one account. */
  async function open(): Promise<StoredAccount> {
    let row = await findAccountRow(database.read, directory)
    if (row === undefined) {
      const sealed_key = sealing.seal(privateKeyPem(await generateKeyPair()), purpose)
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

/** Our account at an issuer, as CAA records name it (`accounturi`); null until the issuer has registered us. */
export async function readAccountUrl(
  { database }: { database: Pick<Database, 'read'> },
  issuer: string,
): Promise<string | null> {
  return (await findAccountRow(database.read, issuer))?.url ?? null
}

/** What the operator has to set before the CA makes an account for us; null where nothing lacks. */
export async function missingExternalAccount(
  { database }: Pick<Context, 'database'>,
  client: Pick<AcmeClient, 'directory'>,
  { directoryUrl, title }: Pick<Authority, 'directoryUrl' | 'title'>,
): Promise<string | null> {
  const { meta } = await client.directory()
  if (!meta.externalAccountRequired) return null
  // It is asked for once: an account that was made goes on without it.
  if ((await findAccountRow(database.read, directoryUrl))?.url != null) return null
  return `${title} makes accounts only for its own customers: set MASTHEAD_CA_EAB_KID and MASTHEAD_CA_EAB_HMAC_KEY to what it handed you. Until then there are no certificates.`
}
