import assert from 'node:assert/strict'
import { Http2Connection } from '@masthead/testing/http2-connection.ts'
import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'

/** Every name shows this page over HTTPS, with a certificate of its own under this root. */
export async function assertServed(
  { httpsPort }: MastheadProcess,
  names: readonly string[],
  { root, page }: { root: string; page: string },
): Promise<void> {
  for (const name of names) {
    using connection = await Http2Connection.to(httpsPort, name, root)
    assert.partialDeepStrictEqual(await connection.ask(name), { status: 200, body: page })
  }
}
