import type { KeyPair } from '../key-pair.ts'
import type { AcmeAccount } from './account.ts'
import type { AcmeConnection } from './connection.ts'
import { keyChangePayload } from './signed-request.ts'

/**
 * Gives the account another key. Keep the new key before the call: if the answer is lost, `findAccount` tells
 * which of the two the CA goes by.
 */
export async function changeKey(
  connection: AcmeConnection,
  account: AcmeAccount,
  newKey: KeyPair,
): Promise<AcmeAccount> {
  const { keyChange: url } = await connection.directory()
  const payload = await keyChangePayload({ oldKey: account.key, newKey, accountUrl: account.url, url })
  await connection.post(account, url, payload)
  return { key: newKey, url: account.url }
}
