import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { EventType } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createAccount } from '../accounts/account-lifecycle.ts'
import { type Database, type DatabaseLocation, openDatabase } from '../database/database.ts'
import { recordEvent, system } from '../events/record-event.ts'
import { systemClock } from '../kernel/clock.ts'
import { createPerson } from '../people/create-person.ts'
import { insertMember } from '../people/store.ts'
import { startMailWorker } from './worker.ts'

export interface Mail {
  to: string
  id: string
  subject: string
  raw: string
  secure: boolean
  user: string | null
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** A real mail server. `take` says what becomes of a message: a promise keeps the sender waiting. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  take: (mail: Mail) => undefined | Promise<void> = () => undefined,
) {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString()
        const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(raw)?.[1] ?? ''
        const mail: Mail = {
          to: envelope.rcptTo.map(({ address }) => address).join(),
          id: header('message-id'),
          subject: header('subject'),
          raw,
          secure,
          user: user || null,
        }
        try {
          await take(mail)
          mails.push(mail)
          done()
        } catch (error) {
          done(error as Error)
        }
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '0.0.0.0')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    mails,
    settings: (url = `smtp://127.0.0.1:${port}`) => ({ url, from: 'masthead@example.com' }),
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(closed)),
  }
}

/** Refuses with this code at this point. */
export function refusal(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode })
}

/** An account with an owner, and events that owners hear about. */
export async function startNotices(database: Database, { at = Date.UTC(2030, 0, 1) } = {}) {
  const clock = { at }
  const addAccount = () =>
    database.write((tx) => createAccount(tx, { name: 'Acme', plan: 'free', by: system, at: clock.at }))
  const addPerson = (email: string, of: Id<'account'>, role: Role = 'owner') =>
    database.write(async (tx) => {
      const input = { name: email, email, passwordHash: '', operator: false, at: clock.at }
      const { id } = await createPerson(database, tx, input)
      await insertMember(tx, { account_id: of, person_id: id, role, joined_at: clock.at })
      return id
    })
  const account = await addAccount()
  const owner = await addPerson('ada@example.com', account.id)
  return {
    context: { database, now: () => clock.at },
    clock,
    account,
    owner,
    addAccount,
    addPerson,
    record: (
      host = 'hooks.example.com',
      { of = account.id, type = 'webhook.disabled' as EventType, data = {} as object } = {},
    ) =>
      database.write((tx) =>
        recordEvent(tx, {
          accountId: of,
          type,
          by: system,
          at: clock.at,
          data: { webhookId: 'whk_1', host, reason: 'failing', ...data },
        }),
      ),
    left: async () => (await database.read.selectFrom('notices').selectAll().execute()).length,
  }
}

/** A node that sends mail, to be killed at any time. */
export async function runMailNode(location: DatabaseLocation, url: string): Promise<void> {
  const database = await openDatabase(location, { warn: console.error })
  startMailWorker(
    { database, now: systemClock },
    {
      settings: { url, from: 'masthead@example.com' },
      dashboard: 'https://masthead.example',
      log: { error: console.error, warn: console.error },
      isAlone: true,
      every: 20,
    },
  )
  setInterval(() => {}, 60_000)
}
