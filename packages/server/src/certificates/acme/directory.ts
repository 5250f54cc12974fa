import { z } from 'zod'
import { type Clock, day } from '../../kernel/clock.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { Exchange } from './exchange.ts'
import { readJson } from './read-response.ts'
import { acmeUrl } from './response-fields.ts'

const directoryBody = z.object({
  newNonce: acmeUrl,
  newAccount: acmeUrl,
  newOrder: acmeUrl,
  keyChange: acmeUrl,
  /** Only if the CA supports ARI. */
  renewalInfo: acmeUrl.optional(),
  meta: z
    .object({
      termsOfService: z.string().max(2000).optional().catch(undefined),
      externalAccountRequired: z.boolean().catch(false),
      /** The identities of this CA in CAA records. */
      caaIdentities: z.array(z.string().max(253)).max(20).catch([]),
    })
    .catch({ externalAccountRequired: false, caaIdentities: [] }),
})

export type Directory = z.infer<typeof directoryBody>

const freshFor = day

/** Reads the directory once a day; concurrent calls share one request. */
export function directoryReader(exchange: Exchange, url: string, now: Clock): () => Promise<Directory> {
  let cached: { directory: Directory; readAt: number } | null = null
  const read = singleFlight(async (directoryUrl: string) => {
    const readAt = now()
    const directory = readJson(await exchange({ method: 'GET', url: directoryUrl }), directoryBody)
    cached = { directory, readAt }
    return directory
  })
  return async () => (cached !== null && now() < cached.readAt + freshFor ? cached.directory : read(url))
}
