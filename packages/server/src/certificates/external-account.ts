import type { Context } from '../database/context.ts'
import { findAccountRow } from './account-store.ts'
import type { AcmeClient } from './acme/acme-client.ts'
import type { Authority } from './authorities.ts'

/** What the operator has to set before the CA makes an account for us; null where nothing lacks. */
export async function lackingExternalAccount(
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
