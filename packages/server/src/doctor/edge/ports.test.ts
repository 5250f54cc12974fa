import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { test } from 'node:test'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { waitingJob } from '../../certificates/certificate-row.test-kit.ts'
import { backoffs } from '../../certificates/jobs/backoff.ts'
import { findChallenge } from '../../certificates/read.ts'
import { readConfig } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { challengePath } from '../../kernel/challenge-path.ts'
import { systemClock } from '../../kernel/clock.ts'
import { checkEdge, checkListeners, judgeEdge, tryListeners, tryPort } from './ports.ts'

const signal = new AbortController().signal
const dashboardHost = 'masthead.example'
/** The alert that servers send if they have no certificate for the name. */
const unrecognizedName = Buffer.from([21, 3, 3, 0, 2, 2, 112])
const silent = { protocol: 'https', address: '192.0.2.7', port: 443 } as const

async function configure(changes: Record<string, string> = {}) {
  const [http, https] = [await freePort(), await freePort()]
  return readConfig({ MASTHEAD_HTTP_PORT: `${http}`, MASTHEAD_HTTPS_PORT: `${https}`, ...changes })
}

/** Some other program on the port of the server. */
async function occupy(port: number, answer: string | null) {
  const server =
    answer === null ? createTcpServer() : createServer((_request, response) => response.end(answer))
  return listen(server, port)
}

async function listen(server: Server, port: number) {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      if (server instanceof HttpServer) server.closeAllConnections()
      await closed
    },
  }
}

test('free ports are fine, and trying them leaves them free', async () => {
  const config = await configure()
  for (let again = 0; again < 2; again++)
    assert.deepEqual(
      (await checkListeners(config, null, await tryListeners(config), signal)).map(({ status }) => status),
      ['ok'],
    )
})

test('an address of another machine is a problem', async () => {
  const config = await configure({ MASTHEAD_HOST: '192.0.2.7' })
  assert.match(
    (await checkListeners(config, null, await tryListeners(config), signal))[0]?.fix ?? '',
    /MASTHEAD_HOST/,
  )
})

test('before the first start, a port in use belongs to another program', async () => {
  const config = await configure()
  await using _other = await occupy(config.httpPort, 'hello')
  const [taken] = await checkListeners(config, null, await tryListeners(config), signal)
  assert.equal(taken?.message, `Another program listens at 127.0.0.1:${config.httpPort}.`)
  assert.match(taken?.fix ?? '', /MASTHEAD_HTTP_PORT/)
})

onEachDatabase('ports', (databases) => {
  test('another program on our ports is recognized, whatever it speaks', async () => {
    await using database = await databases.open()
    const config = await configure()
    await using _site = await occupy(config.httpPort, '<h1>hello</h1>')
    await using _plain = await occupy(config.httpsPort, 'not TLS')
    const context = { database, now: systemClock }
    const findings = await checkListeners(config, context, await tryListeners(config), signal)
    assert.match(
      findings[0]?.message ?? '',
      /^Another program answers at 127\.0\.0\.1:\d+ \(it answered 200\)/,
    )
    assert.match(findings[1]?.message ?? '', /^Another program answers at/)
    const edge = await checkEdge(config, context, await tryListeners(config), signal)
    assert.deepEqual(
      edge.map(({ status }) => status),
      ['problem', 'problem'],
    )
    assert.match(edge[0]?.fix ?? '', /MASTHEAD_EDGE_ADDRESSES/)
  })

  /** This server by HTTP, and by HTTPS one that sends these bytes to everybody. */
  async function examineBeside(secureBytes: string | Buffer, prepare: (database: Database) => Promise<void>) {
    await using database = await databases.open()
    await prepare(database)
    const config = await configure({ MASTHEAD_DASHBOARD_HOST: dashboardHost })
    const context = { database, now: systemClock }
    const plain = createServer(async (request, response) =>
      response.end(await findChallenge(context, request.url?.replace(challengePath, '') ?? '')),
    )
    const secure = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(secureBytes),
    )
    await using _plain = await listen(plain, config.httpPort)
    await using _secure = await listen(secure, config.httpsPort)
    const states = await tryListeners(config)
    const secureAt = `127.0.0.1:${config.httpsPort}`
    const find = (findings: DoctorFinding[]) =>
      findings.find(({ message }) => message.includes(secureAt)) ?? assert.fail(JSON.stringify(findings))
    return {
      ports: find(await checkListeners(config, context, states, signal)),
      visitors: find(await checkEdge(config, context, states, signal)),
    }
  }

  test('this server without a certificate is recognized, and the reason is shown', async () => {
    const waiting = await examineBeside(unrecognizedName, async () => {})
    for (const { status, message } of Object.values(waiting)) {
      assert.equal(status, 'warning')
      assert.match(message, /^This server answers at .*, but has no certificate for masthead\.example yet\.$/)
    }
    for (const [kind, wanted] of [
      ['account_refused', /MASTHEAD_CA/],
      ['caa_forbids', /^Allow it in the CAA records\. We retry automatically\.$/],
    ] as const) {
      const { hint } = backoffs[kind]
      const error = { kind, authority: 'Example CA', message: 'Example CA said: "No."', hint, add: null }
      const refused = await examineBeside(unrecognizedName, async (database) => {
        const job = { ...waitingJob(dashboardHost), problem_kind: kind, last_error: JSON.stringify(error) }
        await database.write((tx) => tx.insertInto('certificate_jobs').values(job).execute())
      })
      for (const { status, message, fix } of Object.values(refused)) {
        assert.equal(status, 'problem')
        assert.match(message, /no certificate for masthead\.example yet\. Example CA said: "No\."$/)
        assert.match(fix ?? '', wanted)
      }
    }
  })

  test('nobody is told to stop the server that answers by HTTP', async () => {
    for (const bytes of [unrecognizedName, 'not TLS']) {
      const { ports } = await examineBeside(bytes, async () => {})
      assert.doesNotMatch(`${ports.message} ${ports.fix}`, /Another program|Stop/)
    }
  })

  test('another program without a certificate for our host is still another program', async () => {
    await using database = await databases.open()
    const config = await configure()
    await using _site = await occupy(config.httpPort, '<h1>hello</h1>')
    const secure = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(unrecognizedName),
    )
    await using _secure = await listen(secure, config.httpsPort)
    const context = { database, now: systemClock }
    const findings = await checkListeners(config, context, await tryListeners(config), signal)
    assert.match(findings[1]?.fix ?? '', /^Stop it, or change MASTHEAD_HTTPS_PORT/)
  })

  test('no token is left in the database', async () => {
    await using database = await databases.open()
    const config = await configure()
    await checkEdge(config, { database, now: systemClock }, await tryListeners(config), signal)
    assert.deepEqual(await database.read.selectFrom('acme_challenges').selectAll().execute(), [])
  })

  test('while the server is stopped, its addresses are not a problem', async () => {
    await using database = await databases.open()
    const config = await configure()
    const context = { database, now: systemClock }
    const findings = await checkEdge(config, context, await tryListeners(config), signal)
    assert.deepEqual([...new Set(findings.map(({ status }) => status))], ['skipped'])
  })
})

test('an address that does not answer is a problem here, and behind NAT only a warning', () => {
  const reached = { kind: 'silent', why: 'no answer in time' } as const
  const running = { isRunning: true, ours: null }
  assert.equal(judgeEdge(silent, reached, { ...running, isHere: true }).status, 'problem')
  assert.equal(judgeEdge(silent, reached, { ...running, isHere: false }).status, 'warning')
})

test('a port is in use while somebody listens, and free afterwards', async () => {
  const server = createTcpServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  assert.equal(await tryPort('127.0.0.1', port), 'in_use')
  server.close()
  assert.equal(await tryPort('127.0.0.1', port), 'free')
})
