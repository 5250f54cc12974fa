import type { Context } from '../../database/database.ts'
import { minute } from '../../kernel/clock.ts'
import type { AcmeClient } from '../acme/acme-client.ts'
import type { Authority } from './authorities.ts'

/** The names by which CAA records allow a CA: those that are set or known of it, else those that it tells. */
export interface CaIdentities {
  /** Asks the CA where it has to be asked. */
  read(): Promise<readonly string[]>
  /** Without waiting for anybody: none as long as the CA was not heard. */
  known(): readonly string[]
}

const askedAgainAfter = minute

export function createCaIdentities(
  { identities }: Pick<Authority, 'identities'>,
  client: Pick<AcmeClient, 'directory'>,
  { now }: Pick<Context, 'now'>,
): CaIdentities {
  let told = identities
  let askedAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<readonly string[]> {
    if (identities.length > 0) return identities
    told = (await client.directory()).meta.caaIdentities
    return told
  }

  return {
    read,
    known() {
      if (told.length === 0 && now() >= askedAt + askedAgainAfter) {
        askedAt = now()
        read().catch(() => {})
      }
      return told
    },
  }
}
