import { type Ask, mostResolvers } from './ask-resolvers.ts'
import type { DnsAnswer } from './dns-answer.ts'
import { DnsFault } from './dns-fault.ts'
import type { RecordType } from './dns-record.ts'
import type { DnsServer } from './exchange.ts'
import type { Zone } from './find-zone.ts'
import {
  type AddressToAsk,
  addressesToAsk,
  outcomeOf,
  outcomeOfFault,
  type ServerView,
  wasReached,
  withoutUnroutable,
} from './server-view.ts'

export interface Everywhere {
  zone: string | null
  /** Whose answers count. */
  source: 'authoritative' | 'resolvers'
  /** One for each address, those that failed included; the resolvers come after nameservers that all did. */
  servers: ServerView[]
}

export interface Surroundings {
  ask: Ask
  resolvers: readonly DnsServer[]
  authoritativePort: number
  mayAsk(address: string): boolean
  deadlineMs: number
  signal: AbortSignal | undefined
}

/** One of every nameserver that counts, those included that only the zone above knows of. */
const mostAddresses = 28

export async function askEverywhere(
  around: Surroundings,
  zone: Zone | null,
  name: string,
  types: readonly RecordType[],
): Promise<Everywhere> {
  const nameservers = addressesToAsk(zone?.servers ?? [], mostAddresses)
  const direct = withoutUnroutable(
    await Promise.all(nameservers.map((server) => viewOfNameserver(around, server, name, types))),
  )
  const zoneName = zone?.name ?? null
  if (direct.some(wasReached)) return { zone: zoneName, source: 'authoritative', servers: direct }
  const resolvers = await Promise.all(
    around.resolvers.slice(0, mostResolvers).map((resolver) => {
      return view(around, 'resolver', 'resolver', resolver, name, types)
    }),
  )
  return { zone: zoneName, source: 'resolvers', servers: [...direct, ...resolvers] }
}

async function viewOfNameserver(
  around: Surroundings,
  server: AddressToAsk,
  name: string,
  types: readonly RecordType[],
): Promise<ServerView> {
  const { address } = server
  if (address === null) return { ...server, outcome: 'no_address', answers: {} }
  if (!around.mayAsk(address)) return { ...server, outcome: 'private_address', answers: {} }
  return view(around, 'nameserver', server.name, { address, port: around.authoritativePort }, name, types)
}

async function view(
  { ask, deadlineMs, signal }: Surroundings,
  kind: 'nameserver' | 'resolver',
  serverName: string,
  server: DnsServer,
  name: string,
  types: readonly RecordType[],
): Promise<ServerView> {
  const recursive = kind === 'resolver'
  const said = { name: serverName, address: server.address }
  try {
    const answers: Partial<Record<RecordType, DnsAnswer>> = {}
    const replies = await Promise.all(
      types.map((type) => ask(server, { name, type }, { recursive, deadlineMs, signal })),
    )
    for (const [index, type] of types.entries()) {
      const answer = replies[index]
      if (answer === undefined) continue
      const outcome = outcomeOf(answer, kind)
      if (outcome !== 'answered') return { ...said, outcome, answers: {} }
      answers[type] = answer
    }
    return { ...said, outcome: 'answered', answers }
  } catch (error) {
    if (!(error instanceof DnsFault)) throw error
    return { ...said, outcome: outcomeOfFault[error.kind], answers: {} }
  }
}
