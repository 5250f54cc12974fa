import { type Ask, maxResolvers } from './ask.ts'
import type { DnsAnswer } from './dns-answer.ts'
import { DnsError } from './dns-error.ts'
import type { RecordType } from './dns-record.ts'
import type { Zone } from './find-zone.ts'
import {
  type AddressToAsk,
  addressesToAsk,
  outcomeOf,
  outcomeOfError,
  type ServerView,
  wasReached,
  withoutUnroutable,
} from './server-view.ts'
import type { DnsServer } from './transport.ts'

export interface NameserverViews {
  zone: string | null
  /** Whose answers were used. */
  source: 'authoritative' | 'resolvers'
  /** One per address, including failures. If all nameservers failed, the resolvers follow them. */
  servers: ServerView[]
}

export interface AskContext {
  ask: Ask
  resolvers: readonly DnsServer[]
  authoritativePort: number
  mayAsk(address: string): boolean
  deadlineMs: number
  signal: AbortSignal | undefined
}

/** Enough for every nameserver of a zone, including those that only the zone above names. */
const maxAddresses = 28

export async function askNameservers(
  context: AskContext,
  zone: Zone | null,
  name: string,
  types: readonly RecordType[],
): Promise<NameserverViews> {
  const nameservers = addressesToAsk(zone?.servers ?? [], maxAddresses)
  const direct = withoutUnroutable(
    await Promise.all(nameservers.map((server) => viewOfNameserver(context, server, name, types))),
  )
  const zoneName = zone?.name ?? null
  if (direct.some(wasReached)) return { zone: zoneName, source: 'authoritative', servers: direct }
  const resolvers = await Promise.all(
    context.resolvers.slice(0, maxResolvers).map((resolver) => {
      return view(context, 'resolver', 'resolver', resolver, name, types)
    }),
  )
  return { zone: zoneName, source: 'resolvers', servers: [...direct, ...resolvers] }
}

async function viewOfNameserver(
  context: AskContext,
  server: AddressToAsk,
  name: string,
  types: readonly RecordType[],
): Promise<ServerView> {
  const { address } = server
  if (address === null) return { ...server, outcome: 'no_address', answers: {} }
  if (!context.mayAsk(address)) return { ...server, outcome: 'private_address', answers: {} }
  return view(context, 'nameserver', server.name, { address, port: context.authoritativePort }, name, types)
}

async function view(
  { ask, deadlineMs, signal }: AskContext,
  kind: 'nameserver' | 'resolver',
  serverName: string,
  server: DnsServer,
  name: string,
  types: readonly RecordType[],
): Promise<ServerView> {
  const recursive = kind === 'resolver'
  const identity = { name: serverName, address: server.address }
  try {
    const answers: Partial<Record<RecordType, DnsAnswer>> = {}
    const replies = await Promise.all(
      types.map((type) => ask(server, { name, type }, { recursive, deadlineMs, signal })),
    )
    for (const [index, type] of types.entries()) {
      const answer = replies[index]
      if (answer === undefined) continue
      const outcome = outcomeOf(answer, kind)
      if (outcome !== 'answered') return { ...identity, outcome, answers: {} }
      answers[type] = answer
    }
    return { ...identity, outcome: 'answered', answers }
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    return { ...identity, outcome: outcomeOfError[error.kind], answers: {} }
  }
}
