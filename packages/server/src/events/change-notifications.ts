import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import { type Client, DatabaseError } from 'pg'
import type { Tx } from '../database/database.ts'

const shortestPause = 50
const longestPause = 1_000

/** Several schemas may share a server, and a channel is the whole database's. Hashed: a channel has 63 bytes. */
const channel = `'masthead_changes_' || md5(current_schema())`

/** Wakes every listening process once the transaction commits, and tells it of what. */
export async function notifyOfChange(tx: Tx, kind: string, subject: string): Promise<void> {
  await sql`select pg_notify(${sql.raw(channel)}, ${`${kind} ${subject}`})`.execute(tx)
}

export interface ChangeListenerParts {
  newClient: () => Client
  catchUp: () => Promise<void>
  onNotified: (kind: string, subject: string) => void
  log: { warn(details: object, message: string): void }
}

export interface ChangeListener {
  /** Settled once the first attempt has ended, well or not. */
  readonly started: Promise<void>
  /** Reads on the connection; null where that cannot be done, since there is none, or no answer comes on it. */
  read<Row extends object>(query: CompiledQuery<Row>): Promise<Row[] | null>
  close(): void
}

/**
 * Holds a connection that is notified of changes, and makes a new one whenever it is lost. What happened while there
 * was none is read before the new one counts. A connection can also fall silent, without an error: who reads on it
 * notices, since the client's queries have a deadline.
 */
export function listenForChanges({
  newClient,
  catchUp,
  onNotified,
  log,
}: ChangeListenerParts): ChangeListener {
  const closing = new AbortController()
  const started = Promise.withResolvers<void>()
  let current: { client: Client; lose: (error: unknown) => void } | null = null
  void keepListening()
  return { started: started.promise, read, close: () => closing.abort() }

  async function read<Row extends object>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[] | null> {
    if (current === null) return null
    const { client, lose } = current
    try {
      return (await client.query<Row>(sql, [...parameters])).rows
    } catch (error) {
      // An error that the server sent is an answer. Without one it is not known to be there, nor to notify anybody.
      if (!(error instanceof DatabaseError)) lose(error)
      return null
    }
  }

  async function keepListening(): Promise<void> {
    for (let pause = shortestPause; !closing.signal.aborted; pause = Math.min(2 * pause, longestPause)) {
      const { error, wasListening } = await listenOnce()
      if (closing.signal.aborted) break
      // One that cannot be made again and again is told of once.
      if (wasListening || pause === shortestPause)
        log.warn({ err: error }, 'the change feed is not notified of changes')
      if (wasListening) pause = shortestPause
      started.resolve()
      await sleep(pause, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  /** Ends with the connection, and says why and whether it had come as far as to count. */
  async function listenOnce(): Promise<{ error: unknown; wasListening: boolean }> {
    const client = newClient()
    const lost = Promise.withResolvers<never>()
    const end = () => void client.end().catch(() => {})
    client.on('error', lost.reject)
    client.on('end', () => lost.reject(new Error('The connection has ended')))
    client.on('notification', ({ payload = '' }) => {
      const [kind = '', subject = ''] = payload.split(' ')
      onNotified(kind, subject)
    })
    closing.signal.addEventListener('abort', end)
    let wasListening = false
    try {
      await Promise.race([begin(client, lost.reject), lost.promise])
      wasListening = true
      started.resolve()
      return await lost.promise
    } catch (error) {
      return { error, wasListening }
    } finally {
      current = null
      closing.signal.removeEventListener('abort', end)
      end()
    }
  }

  async function begin(client: Client, lose: (error: unknown) => void): Promise<void> {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(`select ${channel} as name`)
    await client.query(`listen ${client.escapeIdentifier(rows[0]?.name ?? '')}`)
    current = { client, lose }
    await catchUp()
  }
}
