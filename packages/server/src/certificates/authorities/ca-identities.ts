import type { Context } from '../../database/database.ts'
import { minute } from '../../kernel/clock.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import type { Authority } from './authorities.ts'

/** The identities that allow a CA in CAA records: those configured or known, else those in its directory. */
export interface CaIdentities {
  /** Reads the directory if necessary. */
  read(): Promise<readonly string[]>
  /** Without waiting: empty until the directory has been read. */
  known(): readonly string[]
}

const retryInterval = minute

export function createCaIdentities(
  { identities }: Pick<Authority, 'identities'>,
  client: Pick<AcmeClient, 'directory'>,
  { now }: Pick<Context, 'now'>,
): CaIdentities {
  let known = identities
  let readAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<readonly string[]> {
    if (identities.length > 0) return identities
    known = (await client.directory()).meta.caaIdentities
    return known
  }

  return {
    read,
    known() {
      if (known.length === 0 && now() >= readAt + retryInterval) {
        readAt = now()
        read().catch(() => {})
      }
      return known
    },
  }
}
