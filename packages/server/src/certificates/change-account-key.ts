import { findAccountRow } from './account-store.ts'
import type { AcmeClient } from './acme/acme-client.ts'
import { AcmeProblem } from './acme/problem.ts'
import type { Authority } from './authorities.ts'
import type { IssuingContext } from './context.ts'
import { keyPairFromPem } from './key-pair.ts'
import { adoptNextKey, keepNextKey } from './next-account-key.ts'
import { purposes } from './sealed-values.ts'

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
  const next = await keepNextKey(context, directoryUrl)
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
