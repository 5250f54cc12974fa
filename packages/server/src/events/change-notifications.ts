import { setTimeout as sleep } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import { type Client, DatabaseError } from 'pg'
import type { Tx } from '../database/database.ts'
import { ofConnection } from '../database/database-errors.ts'

const minPause = 50
const maxPause = 1_000

/**
 * Includes the schema, because channels are shared by the whole database. Hashed, because channel names have at most 63
 * bytes.
 */
const channel = `'masthead_changes_' || md5(current_schema())`

/** Notifies every listening process once the transaction commits. */
export async function notifyOfChanges(
  tx: Tx,
  changes: readonly { kind: string; subject: string }[],
): Promise<void> {
  const payloads = changes.map(({ kind, subject }) => `${kind} ${subject}`)
  await sql`select pg_notify(${sql.raw(channel)}, payload) from unnest(${payloads}::text[]) as payload`.execute(
    tx,
  )
}

export interface ChangeListenerParts {
  newClient: () => Client
  catchUp: () => Promise<void>
  onNotified: (kind: string, subject: string) => void
  log: { warn(details: object, message: string): void }
}

export interface ChangeListener {
  /** Resolves when the first attempt to connect has ended, successful or not. */
  readonly started: Promise<void>
  /** Reads on the listening connection; null if there is none or it does not respond. */
  read<Row extends object>(query: CompiledQuery<Row>): Promise<Row[] | null>
  close(): void
}

/**
 * Keeps a connection that listens for changes, and reconnects whenever it is lost. Catches up on missed changes before
 * the new connection counts. A connection can also go silent without an error; reads notice that, because its queries
 * have a timeout.
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
      // An error from the server is a reply. Without any reply the connection may be dead, and would not notify us
      // either.
      if (!(error instanceof DatabaseError)) lose(error)
      return null
    }
  }

  async function keepListening(): Promise<void> {
    for (let pause = minPause; !closing.signal.aborted; pause = Math.min(2 * pause, maxPause)) {
      const { error, wasListening } = await listenOnce()
      if (closing.signal.aborted) break
      // Log repeated failures to connect only once.
      if (wasListening || pause === minPause)
        log.warn({ err: ofConnection(error) }, 'lost the connection that listens for changes')
      if (wasListening) pause = minPause
      started.resolve()
      await sleep(pause, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  /** Resolves when the connection ends, with the reason and whether it was listening. */
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
      await Promise.race([startListening(client, lost.reject), lost.promise])
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

  async function startListening(client: Client, lose: (error: unknown) => void): Promise<void> {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(`select ${channel} as name`)
    await client.query(`listen ${client.escapeIdentifier(rows[0]?.name ?? '')}`)
    current = { client, lose }
    await catchUp()
  }
}
