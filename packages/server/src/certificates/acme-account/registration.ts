import type { Context, Database } from '../../database/database.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { AcmeAccount, Registration } from '../acme/account.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import type { Authority } from '../authorities/authorities.ts'
import type { IssuingContext } from '../context.ts'
import { retryRefused } from '../jobs/job-store.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, keyPairFromPem, privateKeyPem } from '../x509/key-pair.ts'
import { clearAccountUrl, findAccountRow, insertAccount, setAccountUrl } from './account-store.ts'
import { adoptNextKey } from './change-account-key.ts'

/** As read from the database: another process may have changed the key since. */
export interface StoredAccount extends AcmeAccount {
  sealedKey: string
}

export interface AccountKeeper {
  /** Our account at the CA: created once, shared by all processes. */
  account(): Promise<StoredAccount>
  /** Whether the account has a new key by now. If so, `account` returns it from here on. */
  hasOtherKey(account: StoredAccount): Promise<boolean>
  /** Call when the CA no longer knows the account: the next use registers again. */
  forget(account: AcmeAccount): Promise<void>
}

export function createAccountKeeper(
  { database, now, sealing }: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  client: Pick<AcmeClient, 'register' | 'findAccount'>,
  directory: string,
  registration: Omit<Registration, 'key'>,
): AccountKeeper {
  let cached: StoredAccount | null = null
  let generation = 0
  const purpose = purposes.account(directory)

  /** Stores the key before registering it. Registering one key twice, after a crash or at once, gives one account. */
  async function open(): Promise<StoredAccount> {
    let row = await findAccountRow(database.read, directory)
    if (row === undefined) {
      const sealed_key = sealing.seal(privateKeyPem(await generateKeyPair()), purpose)
      await database.write((tx) => insertAccount(tx, { directory, url: null, sealed_key, created_at: now() }))
      row = await findAccountRow(database.read, directory)
    }
    if (row === undefined) throw new Error(`The account at ${directory} was deleted`)
    const { sealed_key: sealedKey } = row
    const key = keyPairFromPem(sealing.open(sealedKey, purpose).toString())
    if (row.url !== null) return { key, url: row.url, sealedKey }
    const account = await client.register({ ...registration, key })
    await database.write(async (tx) => {
      await setAccountUrl(tx, directory, account.url)
      await retryRefused(tx, now())
    })
    return { ...account, sealedKey }
  }

  /** Keyed by generation, so that nothing loaded before a reset is used after it. */
  const load = singleFlight(async (startedIn: number) => {
    const account = await open()
    if (startedIn === generation) cached = account
    return account
  })

  function reset(): void {
    cached = null
    generation++
  }

  return {
    account: async () => cached ?? load(generation),
    async hasOtherKey({ sealedKey }) {
      const isAdopted = await adoptNextKey({ database, sealing }, client, directory)
      const row = await findAccountRow(database.read, directory)
      const isOther = isAdopted || row?.sealed_key !== sealedKey
      if (isOther) reset()
      return isOther
    },
    async forget({ url }) {
      await database.write((tx) => clearAccountUrl(tx, directory, url))
      reset()
    },
  }
}

/** The URL of our account at an issuer, for `accounturi` in CAA records; null until we are registered. */
export async function readAccountUrl(
  { database }: { database: Pick<Database, 'read'> },
  issuer: string,
): Promise<string | null> {
  return (await findAccountRow(database.read, issuer))?.url ?? null
}

/** Null until we are registered. */
export async function readAccount(
  { database, sealing }: Pick<IssuingContext, 'database' | 'sealing'>,
  directory: string,
): Promise<StoredAccount | null> {
  const row = await findAccountRow(database.read, directory)
  if (row === undefined || row.url === null) return null
  const pem = sealing.open(row.sealed_key, purposes.account(directory)).toString()
  return { key: keyPairFromPem(pem), url: row.url, sealedKey: row.sealed_key }
}

/** What the operator must set before the CA creates an account for us; null if nothing is missing. */
export async function missingExternalAccount(
  { database }: Pick<Context, 'database'>,
  client: Pick<AcmeClient, 'directory'>,
  { directoryUrl, title }: Pick<Authority, 'directoryUrl' | 'title'>,
): Promise<string | null> {
  const { meta } = await client.directory()
  if (!meta.externalAccountRequired) return null
  // Only needed to create an account: an existing one works without it.
  if ((await findAccountRow(database.read, directoryUrl))?.url != null) return null
  return `${title} requires an external account: set MASTHEAD_CA_EAB_KID and MASTHEAD_CA_EAB_HMAC_KEY to the values it gave you. Until then no certificates can be issued.`
}
