import { getDomain } from 'tldts'
import { second } from '../kernel/clock.ts'
import { FairQueue, QueueFullError } from '../kernel/fair-queue.ts'
import { TimeoutError } from '../kernel/with-timeout.ts'
import { type Ask, type AskOptions, ask, askResolvers, questionDeadline } from './ask.ts'
import { askNameservers, type NameserverViews } from './ask-nameservers.ts'
import type { DnsAnswer } from './dns-answer.ts'
import { DnsError, nullOnDnsError } from './dns-error.ts'
import type { RecordType } from './dns-record.ts'
import { normalizeName } from './domain-name.ts'
import { findZone, type Zone } from './find-zone.ts'
import { isPublicAddress } from './public-address.ts'
import type { ServerView } from './server-view.ts'
import type { DnsServer } from './transport.ts'

export type { DnsAnswer, DnsServer, NameserverViews, RecordType, ServerView, Zone }

export interface DnsSettings {
  /** The resolvers. */
  servers: readonly DnsServer[]
  /** The port of nameservers: 53 except in tests. */
  authoritativePort: number
  /** Whether to ask nameservers at private addresses, as on a laptop or in a private network. */
  allowPrivate: boolean
}

export type ResolveOptions = Pick<AskOptions, 'checkingDisabled' | 'deadlineMs' | 'signal'>

export interface FindZoneOptions {
  /** A zone that was found before. The search stops when it reaches it. */
  known?: Zone | null | undefined
  signal?: AbortSignal | undefined
}

export interface AskNameserversOptions {
  /** The zone of the name, if it was already found. */
  zone?: Zone | null | undefined
  signal?: AbortSignal | undefined
}

export interface Dns {
  /** Asks the resolvers in turn. The rcode shows if all of them refuse. Throws a DnsError if none of them replies. */
  resolve(name: string, type: RecordType, options?: ResolveOptions): Promise<DnsAnswer>
  /** The zone of the name and its nameservers. Null if the resolvers know of none. */
  findZone(name: string, options?: FindZoneOptions): Promise<Zone | null>
  /**
   * Asks every nameserver of the zone at once, or the resolvers if none can be found or reached. The views include
   * failures.
   */
  askNameservers(
    name: string,
    types: readonly RecordType[],
    options?: AskNameserversOptions,
  ): Promise<NameserverViews>
}

/**
 * A burst of checks must not use up the sockets of the process. What belongs to one domain gets 40 at most, and less
 * while others ask: questions to silent nameservers last for seconds.
 */
const questionsAtOnce = 200
/** To each nameserver of a domain, so that a silent one does not use up what the others are asked with. */
const questionsPerServer = 6
/** Finding a zone, asking its servers and then the resolvers takes 10 s at most. */
const zoneDeadline = 4 * second
const viewDeadline = 3 * second

export function createDns(settings: DnsSettings): Dns {
  const { servers: resolvers, authoritativePort, allowPrivate } = settings
  const byDomain = new FairQueue({ size: questionsAtOnce })
  const byServer = new FairQueue({ size: Number.POSITIVE_INFINITY, perCaller: questionsPerServer })
  /** Asks within the share of the domain that is looked up. */
  function askFor(lookedUp: string): Ask {
    const name = normalizeName(lookedUp)
    const domain = getDomain(name, { allowPrivateDomains: true }) ?? name
    return async (server, question, options = {}) => {
      const until = performance.now() + (options.deadlineMs ?? questionDeadline)
      const left = () => Math.max(0, until - performance.now())
      const patience = () => ({ timeoutMs: left(), signal: options.signal })
      const send = () => ask(server, question, { ...options, deadlineMs: left() })
      const sendInTurn = () => byDomain.run(domain, send, patience())
      const asking =
        options.recursive === true
          ? sendInTurn()
          : byServer.run(`${domain} ${server.address}`, sendInTurn, patience())
      return asking.catch((error: unknown) => {
        if (!(error instanceof TimeoutError) && !(error instanceof QueueFullError)) throw error
        throw new DnsError('timeout', 'Too many DNS queries at once')
      })
    }
  }
  const mayAsk = (address: string) => allowPrivate || isPublicAddress(address)

  async function findZoneInTime(name: string, { known, signal }: FindZoneOptions = {}): Promise<Zone | null> {
    const until = performance.now() + zoneDeadline
    const left = () => Math.max(0, until - performance.now())
    const ask = askFor(name)
    return findZone(
      {
        resolve: (at, type) =>
          // A zone with broken signatures still has nameservers.
          askResolvers(
            ask,
            resolvers,
            { name: at, type },
            { checkingDisabled: true, deadlineMs: left(), signal },
          ),
        async askDirectly(address, at, type) {
          if (!mayAsk(address)) return null
          const server = { address, port: authoritativePort }
          return nullOnDnsError(ask(server, { name: at, type }, { deadlineMs: left() / 2, signal }))
        },
      },
      normalizeName(name),
      known ?? null,
    )
  }

  return {
    async resolve(name, type, options = {}) {
      return askResolvers(askFor(name), resolvers, { name, type }, options)
    },
    findZone: findZoneInTime,
    async askNameservers(name, types, { zone: given, signal } = {}) {
      const zone = given === undefined ? await nullOnDnsError(findZoneInTime(name, { signal })) : given
      const context = {
        ask: askFor(name),
        resolvers,
        authoritativePort,
        mayAsk,
        deadlineMs: viewDeadline,
        signal,
      }
      return askNameservers(context, zone, normalizeName(name), types)
    },
  }
}
