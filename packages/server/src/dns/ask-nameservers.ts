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
  /** Whose answers count. */
  source: 'authoritative' | 'resolvers'
  /** One for each address, those that failed included; the resolvers come after nameservers that all did. */
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

/** One of every nameserver that counts, those included that only the zone above knows of. */
const maxAddresses = 28

export async function askNameservers(
  around: AskContext,
  zone: Zone | null,
  name: string,
  types: readonly RecordType[],
): Promise<NameserverViews> {
  const nameservers = addressesToAsk(zone?.servers ?? [], maxAddresses)
  const direct = withoutUnroutable(
    await Promise.all(nameservers.map((server) => viewOfNameserver(around, server, name, types))),
  )
  const zoneName = zone?.name ?? null
  if (direct.some(wasReached)) return { zone: zoneName, source: 'authoritative', servers: direct }
  const resolvers = await Promise.all(
    around.resolvers.slice(0, maxResolvers).map((resolver) => {
      return view(around, 'resolver', 'resolver', resolver, name, types)
    }),
  )
  return { zone: zoneName, source: 'resolvers', servers: [...direct, ...resolvers] }
}

async function viewOfNameserver(
  around: AskContext,
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
  { ask, deadlineMs, signal }: AskContext,
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
    if (!(error instanceof DnsError)) throw error
    return { ...said, outcome: outcomeOfError[error.kind], answers: {} }
  }
}
