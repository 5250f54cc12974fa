import { second } from '../clock.ts'
import { type AskOptions, ask, questionDeadline } from './ask.ts'
import { askEverywhere, type Everywhere } from './ask-everywhere.ts'
import { type Ask, askResolvers } from './ask-resolvers.ts'
import type { DnsAnswer } from './dns-answer.ts'
import { unlessFault } from './dns-fault.ts'
import type { RecordType } from './dns-record.ts'
import { plainName } from './domain-name.ts'
import type { DnsServer } from './exchange.ts'
import { findZone, type Zone } from './find-zone.ts'
import { createPlaces } from './places.ts'
import { isPublicAddress } from './public-address.ts'
import type { ServerView } from './server-view.ts'

export type { DnsAnswer, DnsServer, Everywhere, RecordType, ServerView, Zone }

export interface DnsSettings {
  /** The resolvers. */
  servers: readonly DnsServer[]
  /** Where nameservers are asked; 53 but in tests. */
  authoritativePort: number
  /** Whether nameservers with addresses that are not public are asked, as on a laptop or in a closed network. */
  allowPrivate: boolean
}

export type ResolveOptions = Pick<AskOptions, 'checkingDisabled' | 'deadlineMs' | 'signal'>

export interface FindZoneOptions {
  /** A zone that was found before: where the search comes to it, nobody is asked about it again. */
  known?: Zone | null | undefined
  signal?: AbortSignal | undefined
}

export interface AskEverywhereOptions {
  /** The zone that holds the name, where it was found already. */
  zone?: Zone | null | undefined
  signal?: AbortSignal | undefined
}

export interface Dns {
  /**
   * Asks the resolvers in turn. Where all of them refuse or fail, that is the answer, to be seen by its rcode; where
   * none says anything, a DnsFault is thrown.
   */
  resolve(name: string, type: RecordType, options?: ResolveOptions): Promise<DnsAnswer>
  /** The zone that holds the name, and the servers that answer for it. Null where the resolvers know of none. */
  findZone(name: string, options?: FindZoneOptions): Promise<Zone | null>
  /**
   * The same questions to every nameserver of the zone at once; where none can be found or reached, to the
   * resolvers. Failures are in the views.
   */
  askEverywhere(
    name: string,
    types: readonly RecordType[],
    options?: AskEverywhereOptions,
  ): Promise<Everywhere>
}

const questionsAtOnce = 200
/** Of a whole look at a zone, which takes 10 s at most: to find it, to ask its servers, to ask the resolvers. */
const zoneDeadline = 4 * second
const viewDeadline = 3 * second

export function createDns(settings: DnsSettings): Dns {
  const { servers: resolvers, authoritativePort, allowPrivate } = settings
  const places = createPlaces(questionsAtOnce)
  const askInTurn: Ask = async (server, question, options = {}) => {
    const until = performance.now() + (options.deadlineMs ?? questionDeadline)
    const leave = await places.take(until - performance.now(), options.signal)
    try {
      return await ask(server, question, { ...options, deadlineMs: Math.max(0, until - performance.now()) })
    } finally {
      leave()
    }
  }
  const mayAsk = (address: string) => allowPrivate || isPublicAddress(address)
  const resolve: Dns['resolve'] = (name, type, options = {}) =>
    askResolvers(askInTurn, resolvers, { name, type }, options)

  async function findZoneInTime(name: string, { known, signal }: FindZoneOptions = {}): Promise<Zone | null> {
    const until = performance.now() + zoneDeadline
    const left = () => Math.max(0, until - performance.now())
    return findZone(
      {
        // A zone whose signatures are broken still has nameservers, and they are what is wanted here.
        resolve: (at, type) => resolve(at, type, { checkingDisabled: true, deadlineMs: left(), signal }),
        async askDirectly(address, at, type) {
          if (!mayAsk(address)) return null
          const server = { address, port: authoritativePort }
          return unlessFault(askInTurn(server, { name: at, type }, { deadlineMs: left() / 2, signal }))
        },
      },
      plainName(name),
      known ?? null,
    )
  }

  return {
    resolve,
    findZone: findZoneInTime,
    async askEverywhere(name, types, { zone: given, signal } = {}) {
      const zone = given === undefined ? await unlessFault(findZoneInTime(name, { signal })) : given
      const around = {
        ask: askInTurn,
        resolvers,
        authoritativePort,
        mayAsk,
        deadlineMs: viewDeadline,
        signal,
      }
      return askEverywhere(around, zone, plainName(name), types)
    },
  }
}
