import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { ChangeFeed } from '../../events/change-feed.ts'
import { hour, second } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { ChangeStream, type ChangeStreamTimes } from './change-stream.ts'

export interface ChangeStreamLimits extends ChangeStreamTimes {
  perCaller: number
  perAccount: number
}

const defaultLimits: ChangeStreamLimits = {
  heartbeatEvery: 15 * second,
  pace: 200,
  maxDuration: hour,
  perCaller: 20,
  perAccount: 100,
}

export interface StreamSubscriber {
  accountId: Id<'account'>
  /** A unique name of the key or session. */
  caller: string
  /** Whether the key or session is still valid. Checked with every heartbeat. */
  isAllowed: () => Promise<boolean>
}

export interface ChangeStreams {
  open(listener: StreamSubscriber): ChangeStream
  /** Ends all streams, so that the server can stop without waiting for them. */
  close(): void
}

/** The open streams of this process, by account. */
export function createChangeStreams(
  changes: Pick<ChangeFeed, 'subscribe'>,
  log: { warn(details: object, message: string): void },
  limits: Partial<ChangeStreamLimits> = {},
): ChangeStreams {
  const { perCaller, perAccount, ...times } = { ...defaultLimits, ...limits }
  const byAccount = new Map<string, Map<ChangeStream, string>>()
  let isClosed = false

  changes.subscribe((change) => {
    if (change === null) for (const stream of all()) stream.sendChange()
    else if (change.kind === 'account')
      for (const stream of byAccount.get(change.subject)?.keys() ?? []) stream.sendChange()
  })

  return {
    open(listener) {
      refuseTooMany(listener)
      const stream: ChangeStream = new ChangeStream(times, () => void endUnlessAllowed(stream, listener))
      keep(stream, listener)
      return stream
    },
    close() {
      isClosed = true
      for (const stream of all()) stream.end()
    },
  }

  function all(): ChangeStream[] {
    return [...byAccount.values()].flatMap((streams) => [...streams.keys()])
  }

  function keep(stream: ChangeStream, { accountId, caller }: StreamSubscriber): void {
    const streams = byAccount.get(accountId) ?? new Map<ChangeStream, string>()
    byAccount.set(accountId, streams.set(stream, caller))
    stream.once('close', () => {
      streams.delete(stream)
      if (streams.size === 0 && byAccount.get(accountId) === streams) byAccount.delete(accountId)
    })
  }

  function refuseTooMany({ accountId, caller }: StreamSubscriber): void {
    if (isClosed) {
      throw new Problem('unavailable', 'The server is shutting down.', {
        headers: { 'Retry-After': '1' },
      })
    }
    const callers = [...(byAccount.get(accountId)?.values() ?? [])]
    if (callers.filter((one) => one === caller).length >= perCaller) {
      throw tooMany(`This key or session already has ${perCaller} open streams.`)
    }
    if (callers.length >= perAccount) {
      throw tooMany(`This account already has ${perAccount} open streams.`)
    }
  }

  /** If the check fails, the stream continues until the next one: it reveals nothing but that something changed. */
  async function endUnlessAllowed(stream: ChangeStream, { isAllowed }: StreamSubscriber): Promise<void> {
    try {
      if (!(await isAllowed())) stream.end()
    } catch (err) {
      log.warn({ err }, 'could not check whether a stream is still allowed')
    }
  }
}

/** By the next heartbeat, streams of clients that are gone have been closed. */
function tooMany(detail: string): Problem {
  const headers = { 'Retry-After': String(defaultLimits.heartbeatEvery / second) }
  return new Problem('too_many_streams', detail, { headers })
}
