import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { until } from '@masthead/testing/until.ts'
import { openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { day, hour, minute } from '../kernel/clock.ts'
import { setRole } from '../people/store.ts'
import { type Mail, refusal, startMailServer, startNotices } from './mail.test-kit.ts'
import { giveUpAfter, type MailWorkerOptions, mailEvery, startMailWorker } from './worker.ts'

type Notices = Awaited<ReturnType<typeof startNotices>>

function startWorker(
  { context }: Pick<Notices, 'context'>,
  settings: MailWorkerOptions['settings'],
  more: Partial<MailWorkerOptions> = {},
) {
  const logged: { message: string; err: Error }[] = []
  const log = (details: object, message: string) =>
    void logged.push({ message, ...(details as { err: Error }) })
  const worker = startMailWorker(context, {
    settings,
    dashboard: 'https://masthead.example',
    log: { error: log, warn: log },
    isAlone: true,
    every: 5,
    pauses: [5],
    ...more,
  })
  return { logged, [Symbol.asyncDispose]: () => worker.stop() }
}

const timeouts = { connect: 2_000, answer: 1_000 }

onEachDatabase('mail about notices', ({ open, location }) => {
  test('goes to the owners of the account, once, and not to others', async () => {
    await using database = await open()
    await using server = await startMailServer()
    const notices = await startNotices(database)
    await notices.addPerson('bob@example.com', notices.account.id)
    await notices.addPerson('dev@example.com', notices.account.id, 'developer')
    await notices.addPerson('eve@example.com', (await notices.addAccount()).id)
    await notices.record()
    await notices.record('x.example', { type: 'webhook.changed' })
    await using _worker = startWorker(notices, server.settings())
    await until(async () => (await notices.left()) === 0)
    assert.deepEqual(server.mails.map(({ to }) => to).sort(), ['ada@example.com', 'bob@example.com'])
    const [{ subject, raw } = assert.fail()] = server.mails
    assert.equal(subject, 'The webhook to hooks.example.com was disabled')
    assert.match(raw, /^From: masthead@example\.com/m)
    assert.match(raw, /^Auto-Submitted: auto-generated/m)
    assert.match(raw, /text\/plain[\s\S]*accounts\/acc_\w+\/webhooks[\s\S]*text\/html/)
  })

  test('is not written by a transaction that fails', async () => {
    await using database = await open()
    const notices = await startNotices(database)
    await assert.rejects(notices.record('x', { data: { toJSON: () => assert.fail('no') } }))
    assert.equal(await notices.left(), 0)
  })

  test('comes at most every six hours to a person, about everything that happened meanwhile', async () => {
    await using database = await open()
    await using server = await startMailServer()
    const notices = await startNotices(database)
    const second = await notices.addAccount()
    await database.write((tx) =>
      tx
        .insertInto('members')
        .values({ account_id: second.id, person_id: notices.owner, role: 'owner', joined_at: 1 })
        .execute(),
    )
    await notices.record('first.example')
    await using _worker = startWorker(notices, server.settings())
    await until(() => server.mails.length === 1)
    await until(async () => (await notices.left()) === 0)
    for (let n = 0; n < 30; n++) {
      await notices.record(`h${n}.example`, { of: n % 2 === 0 ? notices.account.id : second.id })
    }
    notices.clock.at += mailEvery - 1
    await notices.record('late.example')
    // Somebody else's mail shows that the worker has looked.
    const other = await notices.addAccount()
    await notices.addPerson('eve@example.com', other.id)
    await notices.record('other.example', { of: other.id })
    await until(() => server.mails.length === 2)
    assert.equal(server.mails[1]?.to, 'eve@example.com')
    notices.clock.at += 1
    await until(() => server.mails.length === 3)
    const last = server.mails[2] as Mail
    assert.equal(last.subject, '31 things need your attention on masthead.example')
    await until(async () => (await notices.left()) === 0)
    notices.clock.at += mailEvery
    const queues = () => database.read.selectFrom('notice_queues').selectAll().execute()
    await until(async () => (await queues()).length === 0)
    assert.equal(server.mails.length, 3)
  })

  test('is not sent to those who own the account no more', async () => {
    await using database = await open()
    await using server = await startMailServer()
    const notices = await startNotices(database)
    await notices.addPerson('bob@example.com', notices.account.id)
    await notices.record()
    await database.write((tx) => setRole(tx, notices.account.id, notices.owner, 'developer'))
    await using _worker = startWorker(notices, server.settings())
    await until(async () => (await notices.left()) === 0)
    assert.deepEqual(
      server.mails.map(({ to }) => to),
      ['bob@example.com'],
    )
  })

  test('waits for a mail server that refuses, hangs or is not there, and arrives when it is back', async () => {
    await using database = await open()
    const notices = await startNotices(database)
    await notices.record()
    let behaviour: 'hang' | 'refuse' | 'accept' = 'hang'
    await using server = await startMailServer({
      onConnect: (_session, done) => {
        if (behaviour === 'refuse') return done(refusal(421, 'not now'))
        if (behaviour === 'accept') done()
      },
    })
    // Nobody listens there.
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as { port: number }
    await new Promise((closed) => probe.close(closed))
    {
      await using nobody = startWorker(notices, server.settings(`smtp://127.0.0.1:${port}`), { timeouts })
      await until(() => nobody.logged.length >= 2)
      assert.match(String(nobody.logged[0]?.err), /ECONNREFUSED/)
    }
    await using worker = startWorker(notices, server.settings(), { timeouts })
    await until(() => worker.logged.length >= 1)
    assert.match(String(worker.logged[0]?.err), /Timeout|[Gg]reeting/)
    behaviour = 'refuse'
    await until(() => worker.logged.some(({ err }) => /not now|421/.test(String(err))))
    assert.equal(await notices.left(), 1)
    behaviour = 'accept'
    await until(() => server.mails.length === 1)
    await until(async () => (await notices.left()) === 0)
    assert.equal(server.mails.length, 1)
  })

  test('an address that is refused does not hold up others, and is tried again only if it may work', async () => {
    await using database = await open()
    const notices = await startNotices(database)
    await notices.addPerson('gone@example.com', notices.account.id)
    await notices.addPerson('grey@example.com', notices.account.id)
    let isGrey = true
    await using server = await startMailServer({
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith('gone')) return done(refusal(550, 'no such user'))
        if (isGrey && address.startsWith('grey')) return done(refusal(451, 'come back later'))
        done()
      },
    })
    await notices.record()
    await using worker = startWorker(notices, server.settings())
    await until(() => worker.logged.length === 2 && server.mails.length === 1)
    assert.equal(server.mails[0]?.to, 'ada@example.com')
    await until(async () => (await notices.left()) === 1)
    isGrey = false
    notices.clock.at += 12 * minute
    await until(() => server.mails.length === 2)
    assert.equal(server.mails[1]?.to, 'grey@example.com')
    assert.equal(worker.logged.length, 2)
  })

  test('that the mail server refuses for good once it has seen it is not sent again, and holds up nobody', async () => {
    await using database = await open()
    const notices = await startNotices(database)
    let asked = 0
    await using server = await startMailServer({}, (mail) => {
      asked++
      return mail.to.startsWith('ada') ? Promise.reject(refusal(554, 'looks like spam')) : undefined
    })
    await notices.addPerson('bob@example.com', notices.account.id)
    await notices.record()
    await using worker = startWorker(notices, server.settings())
    await until(async () => (await notices.left()) === 0)
    assert.deepEqual(
      server.mails.map(({ to }) => to),
      ['bob@example.com'],
    )
    assert.deepEqual(
      worker.logged.map(({ message }) => message),
      ['a mail was refused for good'],
    )
    assert.equal(asked, 2)
  })

  test('that is refused for now is tried again less and less often', async () => {
    await using database = await open()
    const notices = await startNotices(database)
    await using server = await startMailServer({}, () => Promise.reject(refusal(451, 'come back later')))
    await notices.record()
    await using worker = startWorker(notices, server.settings())
    const pauses: number[] = []
    for (let refused = 1; refused <= 6; refused++) {
      await until(() => worker.logged.length === refused)
      let dueAt = 0
      await until(async () => {
        const [queue] = await database.read.selectFrom('notice_queues').selectAll().execute()
        dueAt = queue?.due_at ?? 0
        return dueAt > notices.clock.at
      })
      pauses.push((dueAt - notices.clock.at) / minute)
      notices.clock.at = dueAt
    }
    for (const [index, least] of [10, 30, 60, 120, 240, 240].entries()) {
      const pause = pauses[index] ?? 0
      assert.ok(pause >= least && pause <= least * 1.2, pauses.join())
    }
  })

  test('is dropped after three days, also by a server that sends none', async () => {
    await using database = await open()
    await using server = await startMailServer()
    const notices = await startNotices(database)
    await notices.record('old.example')
    notices.clock.at += giveUpAfter - hour
    await notices.record('new.example')
    {
      await using _none = startWorker(notices, null)
      assert.equal(await notices.left(), 2)
    }
    notices.clock.at += 2 * hour
    {
      await using _none = startWorker(notices, null)
      await until(async () => (await notices.left()) === 1)
    }
    await using _worker = startWorker(notices, server.settings())
    await until(() => server.mails.length === 1)
    assert.match(server.mails[0]?.subject ?? '', /new\.example/)
    assert.equal(giveUpAfter, 3 * day)
  })

  test('two workers do not send the same twice', async () => {
    await using database = await open()
    await using server = await startMailServer()
    const notices = await startNotices(database)
    for (let n = 0; n < 12; n++) await notices.addPerson(`p${n}@example.com`, notices.account.id)
    await notices.record()
    await using _one = startWorker(notices, server.settings(), { isAlone: false })
    await using _two = startWorker(notices, server.settings(), { isAlone: false })
    await until(async () => (await notices.left()) === 0)
    assert.equal(new Set(server.mails.map(({ to }) => to)).size, 13)
    assert.equal(server.mails.length, 13)
  })

  test('arrives although the node is killed while the mail server has not answered', async () => {
    await using where = await location()
    const killed = Promise.withResolvers<void>()
    const received: Mail[] = []
    let node: ChildProcess | undefined
    await using server = await startMailServer({}, (mail) => {
      received.push(mail)
      if (received.length > 1) return undefined
      node?.kill('SIGKILL')
      return killed.promise
    })
    const database = await openDatabase(where, { warn: console.error })
    const notices = await startNotices(database, { at: Date.now() })
    await notices.record()
    const { [Symbol.asyncDispose]: _, ...plain } = where
    const program = `
      const { runMailNode } = await import(${JSON.stringify(join(import.meta.dirname, 'mail.test-kit.ts'))})
      await runMailNode(...JSON.parse(process.argv[1]))`
    const start = () => {
      const settings = JSON.stringify([plain, server.settings().url])
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, settings], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      killOnExit(child)
      return child
    }
    node = start()
    await once(node, 'exit')
    killed.resolve()
    node = start()
    await until(() => received.length === 2, { atMostMs: 50_000 })
    await until(async () => (await notices.left()) === 0)
    const ended = once(node, 'exit')
    node.kill('SIGKILL')
    await ended
    await database.close()
    assert.equal(received[0]?.id, received[1]?.id)
    assert.match(received[0]?.id ?? '', /^<evt_\w+\.usr_\w+@example\.com>$/)
  })
})
