import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@masthead/client/client.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { requestUntil } from '@masthead/testing/clients/request-until.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { SteadyLoad } from '@masthead/testing/load/steady-load.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { createAccount, operatorClient } from './tenant.ts'

/** Far longer than a test may take, so that needless waiting fails it. */
const grace = { MASTHEAD_STOP_GRACE: '3600' }
const timeout = 300_000
const site = 'acme.masthead.localhost'
/** More than the sockets buffer. */
const large = randomBytes(12 * 1024 ** 2).toString('base64')
/** One installation for all tests. */
const data = await temporaryFolder('masthead-data')
after(data.remove)

interface Way {
  name: string
  command?: string[]
  env?: Record<string, string>
  /** Sent to stop the server, and again for every repeated stop. */
  stop: (masthead: MastheadProcess) => void
  /** How the started process ends. */
  endsWith: number | NodeJS.Signals
}

const npmStart = ['npm', 'start']
const inTerminal = ['script', '--quiet', '--return', '--command', 'exec npm start', '/dev/null']

const ctrlC: Way = {
  name: 'by Ctrl-C in a terminal',
  command: inTerminal,
  stop: (masthead) => masthead.type('\x03'),
  endsWith: 0,
}
const dockerStopOfServer: Way = {
  name: 'by docker stop where the first process is the server',
  stop: (masthead) => masthead.signal('SIGTERM'),
  endsWith: 0,
}
const dockerStop: Way = {
  ...dockerStopOfServer,
  name: 'by docker stop, which signals the first process',
  command: npmStart,
}
const withEdgeProcesses = (way: Way): Way => ({
  ...way,
  name: `with edge processes, ${way.name}`,
  env: { MASTHEAD_WORKERS: '2' },
})
const ways: Way[] = [
  ctrlC,
  dockerStop,
  dockerStopOfServer,
  {
    name: 'by systemd, which signals the whole group',
    command: npmStart,
    stop: (masthead) => masthead.signal('SIGTERM', 'group'),
    endsWith: 0,
  },
  {
    name: 'by the end of its terminal',
    command: inTerminal,
    stop: (masthead) => masthead.signal('SIGKILL'),
    endsWith: 'SIGKILL',
  },
  withEdgeProcesses(ctrlC),
  withEdgeProcesses(dockerStop),
]

/** All processes that use the data folder, whatever started them. */
async function processesOf(dataFolder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const environments = pids.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''))
  const all = await Promise.all(environments)
  return pids.filter((_pid, index) => all[index]?.split('\0').includes(`MASTHEAD_DATA=${dataFolder}`))
}

async function dial(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  return { socket, closed }
}

/** A download of which only the head has been read. */
async function beginDownload({ httpPort: port }: MastheadProcess): Promise<IncomingMessage> {
  const asked: ClientRequest = request({
    ...{ host: '127.0.0.1', port, path: '/large.bin', agent: false },
    headers: { host: site },
  })
  const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
  return answer
}

const start = ({ command, env }: Partial<Way> = {}) =>
  MastheadProcess.start({
    ...(command !== undefined && { command }),
    ownGroup: true,
    dataFolder: data.path,
    env: { ...grace, ...env },
  })

interface Installed {
  key: string
  root: string
}

async function furnish(masthead: MastheadProcess): Promise<Installed> {
  const publisher = await createPublisher(masthead)
  await publisher.createProject('acme')
  await publisher.publishArchive('acme', tarGz({ 'index.html': 'front', 'large.bin': large }))
  const { key } = publisher
  return { key, root: await createClient({ server: masthead.origin, key }).getCaRoot() }
}

const usageOf = ({ origin }: MastheadProcess, key: string) => createClient({ server: origin, key }).getUsage()

/** Resolves to what the next start has to show. */
async function stopUnderLoad(
  masthead: MastheadProcess,
  { stop, endsWith }: Way,
  { key, root }: Installed,
): Promise<(again: MastheadProcess) => Promise<void>> {
  const { httpPort: port, httpsPort } = masthead
  const account = await createAccount(masthead, 'free')
  const client = createClient({ server: masthead.origin, key: account.key.secret })
  const { secret: other } = await client.createKey({ body: { name: 'other' } })
  const download = await beginDownload(masthead)

  const idle = await dial(port)
  const unfinished = await dial(port)
  unfinished.socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Unfini')
  const handshake = await dial(httpsPort)
  const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { servername: site, ca: root })
  const goaway = once(
    session.on('error', () => {}),
    'goaway',
  )
  await once(session, 'connect')

  await requestUntil('key_banned', { origin: masthead.origin, key: account.key.secret })
  const { day } = await usageOf(masthead, key)
  const visits = new SteadyLoad({ port, host: site, path: '/', connections: 20 })
  const calls = new SteadyLoad({
    ...{ port, host: 'localhost', path: '/v1/whoami', connections: 4 },
    fields: { Authorization: `Bearer ${key}` },
  })
  await until(() => visits.answered > 200 && calls.answered > 20)

  // Everything but the download ends long before the grace period, and repeating the stop does not cut it short.
  for (let times = 0; times < 4; times++) {
    stop(masthead)
    await sleep(150)
  }
  const ended = [...(await visits.ended()), ...(await calls.ended())]
  const cut = ended.filter(({ wasCut }) => wasCut).length
  assert.deepEqual({ cut, of: ended.length }, { cut: 0, of: 24 }, `${cut} were cut\n${masthead.output}`)
  assert.deepEqual((await goaway)[0], 0, 'HTTP/2 ends without an error')
  await Promise.all([idle.closed, unfinished.closed, handshake.closed])
  if (!session.closed) await once(session, 'close')
  stop(masthead)
  assert.ok((await text(download)) === large)
  assert.equal(await masthead.ended(), endsWith)
  await until(async () => (await processesOf(masthead.dataFolder)).length === 0)

  return async (again) => {
    assert.equal((await usageOf(again, key)).day.used, day.used + calls.answered + 1)
    await (await operatorClient(again)).setAccountPlan({
      params: { account: account.id },
      body: { plan: 'pro' },
    })
    assert.equal((await usageOf(again, other)).bans.length, 1)
  }
}

describe('a server that is asked to stop cuts nothing and forgets nothing', () => {
  let running: MastheadProcess | undefined
  let installed: Installed
  before(async () => {
    running = await start(ways[0])
    installed = await furnish(running)
  })
  after(() => running?.stop())

  for (const [index, way] of ways.entries()) {
    test(way.name, { timeout }, async () => {
      await using masthead = running ?? (await start(way))
      running = undefined
      const assertKept = await stopUnderLoad(masthead, way, installed)
      // The start that shows what was kept is also the one that the next test stops.
      running = await start(ways[index + 1])
      await assertKept(running)
    })
  }
})

describe('a server that is asked to stop while it starts', () => {
  for (const workers of ['1', '2']) {
    test(`ends, leaves no process behind, and starts again (${workers} edge)`, { timeout }, async () => {
      await using masthead = await MastheadProcess.prepare({
        ownGroup: true,
        dataFolder: data.path,
        env: { MASTHEAD_WORKERS: workers },
      })
      for (let moment = 0; moment < 8; moment++) {
        const started = masthead.restart().catch((error: Error) => error)
        await sleep(moment * 120)
        for (let times = 0; times < 3; times++) masthead.signal('SIGTERM', 'group')
        // Killed by the signal itself if that comes before our code runs.
        assert.ok([0, 'SIGTERM'].includes(await masthead.ended()), `at moment ${moment}\n${masthead.output}`)
        await started
        assert.deepEqual(await processesOf(masthead.dataFolder), [])
      }
      await masthead.restart()
      assert.equal((await fetch(`${masthead.origin}/readyz`)).status, 200)
    })
  }
})
