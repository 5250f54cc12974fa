import type { Context } from '../../database/database.ts'
import { type RunningDnsServer, startDnsServer } from '../../dns/server/dns-server.ts'
import type { Responder } from '../../dns/server/respond.ts'
import type { DnsServer } from '../../dns/transport.ts'
import { findLabelledChallenges } from '../jobs/challenge-store.ts'
import { createChallengeValues } from './challenge-values.ts'
import { createChallengeZone } from './challenge-zone.ts'
import { type ResponseLimits, ResponseRate } from './response-rate.ts'

export interface ChallengeDnsOptions extends Context, Pick<Responder, 'log' | 'onReply'> {
  listen: DnsServer
  responseLimits?: ResponseLimits
  naming: { platformDomain: string; edgeAddresses: readonly string[] }
}

/** Where a process that is replaced and its successor may listen at once. */
const canSharePort = process.platform === 'linux'

/**
 * The authoritative nameserver of `acme.{platform}`. It answers from the database, so every node gives the same answers,
 * whichever of them placed the order.
 */
export function startChallengeDns(options: ChallengeDnsOptions): Promise<RunningDnsServer> {
  const { database, now, listen, naming, responseLimits, ...rest } = options
  const findValues = createChallengeValues({ load: () => findLabelledChallenges(database.read, now()) })
  const rate = new ResponseRate(responseLimits)
  return startDnsServer({
    ...rest,
    host: listen.address,
    port: listen.port,
    sharesPort: canSharePort,
    answer: createChallengeZone({ ...naming, findValues }),
    isOverLimit: (address) => rate.isOverLimit(address),
  })
}
