import { z } from 'zod'
import { type Clock, day } from '../../kernel/clock.ts'
import type { Exchange } from './exchange.ts'
import { readJson } from './read-response.ts'
import { acmeUrl } from './response-fields.ts'

const directory = z.object({
  newNonce: acmeUrl,
  newAccount: acmeUrl,
  newOrder: acmeUrl,
  keyChange: acmeUrl,
  /** Only where the CA knows ARI. */
  renewalInfo: acmeUrl.optional(),
  meta: z
    .object({
      termsOfService: z.string().max(2000).optional().catch(undefined),
      externalAccountRequired: z.boolean().catch(false),
      /** The names that stand for this CA in CAA records. */
      caaIdentities: z.array(z.string().max(253)).max(20).catch([]),
    })
    .catch({ externalAccountRequired: false, caaIdentities: [] }),
})

export type Directory = z.infer<typeof directory>

const freshFor = day

/** Asks for the directory once a day; those who ask at the same time share one request. */
export function directoryReader(exchange: Exchange, url: string, now: Clock): () => Promise<Directory> {
  let known: { value: Promise<Directory>; at: number } | undefined
  return async () => {
    if (known !== undefined && now() < known.at + freshFor) return known.value
    const asked = { value: read(exchange, url), at: now() }
    known = asked
    asked.value.catch(() => {
      if (known === asked) known = undefined
    })
    return asked.value
  }
}

async function read(exchange: Exchange, url: string): Promise<Directory> {
  return readJson(await exchange({ method: 'GET', url }), directory)
}
