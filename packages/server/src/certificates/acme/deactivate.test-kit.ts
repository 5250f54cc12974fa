import type { AcmeAccount } from './account.ts'
import { AcmeConnection, type ConnectionOptions } from './connection.ts'

/** What anybody who has the key of an account can do (RFC 8555, section 7.3.6). */
export async function deactivate(
  ca: Pick<ConnectionOptions, 'directoryUrl' | 'fetch'>,
  account: AcmeAccount,
): Promise<void> {
  const connection = new AcmeConnection({ ...ca, now: Date.now })
  await connection.post(account, account.url, { status: 'deactivated' })
}
