import { type ChildProcessByStdio, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { pauseProcess } from '../pause-process.ts'
import { folderInMemory, temporaryFolder } from '../temporary-folder.ts'
import { until } from '../until.ts'
import { requirePeer } from './peers.ts'

export interface RunningPostgres {
  url: string
  /** Halts all of its processes: connections stay open, and nothing is answered. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Ends it as a power cut does: without a word to its clients, and with its files as they are. */
  crash(): Promise<void>
  /** Starts it again on the same port and data. */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * The shell stands between us and PostgreSQL and waits on our pipe. However this process ends, the pipe closes,
 * and the shell stops the server: nothing is left behind even by a SIGKILL.
 */
const stopWhenPipeCloses = '"$@" & echo $!; read -r _; kill -INT $! && wait $!'
/** A second one removes the data, once the server is gone. */
const removeWhenPipeCloses =
  'read -r _; for try in $(seq 100); do [ -e "$1/data/postmaster.pid" ] || break; sleep 0.1; done; rm -rf "$1"'

/** Without these a commit costs no write to the disk. A crash of the server then loses commits. */
const writeBehind = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * An empty cluster on a free loopback port. It does not keep the process alive. Only tests that never kill the server
 * can do without durability.
 */
export async function startPostgres({ durable = true } = {}): Promise<RunningPostgres> {
  const programs = dirname(requirePeer('postgresql'))
  const { path: folder } = await (durable ? temporaryFolder : folderInMemory)('masthead-postgres')
  const data = join(folder, 'data')
  const user = serverUser()
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  const initialise = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  await promisify(execFile)(join(programs, 'initdb'), initialise, { ...user, cwd: folder })

  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '500',
    ...(!durable && writeBehind),
  }
  const command = [join(programs, 'postgres'), '-D', data, '-p', String(port)]
  for (const [name, value] of Object.entries(settings)) command.push('-c', `${name}=${value}`)
  const keeper = supervise(removeWhenPipeCloses, [folder], user)
  const run = () => runServer(command, user)
  let server = await run().catch(async (error) => {
    await keeper.end()
    throw error
  })
  // While the first process is halted, nobody starts others or takes their places.
  const pause = async () => {
    pauseProcess(server.pid)
    for (const pid of await childrenOf(server.pid)) pauseProcess(pid)
  }
  const resume = async () => {
    for (const pid of await childrenOf(server.pid)) signal(pid, 'SIGCONT')
    signal(server.pid, 'SIGCONT')
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pause,
    resume,
    async crash() {
      const pids = [server.pid, ...(await childrenOf(server.pid))]
      for (const pid of pids) signal(pid, 'SIGKILL')
      await server.end()
      // Until the last of them is gone, no other one may use its data.
      await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)))
    },
    async start() {
      server = await run()
    },
    async stop() {
      // One that is halted would never end.
      if (existsSync(`/proc/${server.pid}`)) await resume()
      await server.end()
      await keeper.end()
    },
  }
}

interface Supervised {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  end(): Promise<void>
}

function supervise(script: string, command: readonly string[], user: ServerUser | undefined): Supervised {
  const child = spawn('sh', ['-c', script, 'sh', ...command], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    // A Ctrl-C in the terminal must reach us alone, or the shell would die before its clean-up.
    detached: true,
  })
  const exited = once(child, 'exit')
  child.unref()
  for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref()
  return {
    child,
    async end() {
      child.ref()
      child.stdin.end()
      await exited
    },
  }
}

async function runServer(
  command: readonly string[],
  user: ServerUser | undefined,
): Promise<{ pid: number; end(): Promise<void> }> {
  const { child, end } = supervise(stopWhenPipeCloses, command, user)
  // Both pipes may keep us alive until it has answered.
  for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.ref()
  const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const pid = Number(said)
  const log: string[] = []
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    if (line.includes('ready to accept connections')) ready.resolve()
    // While it recovers from a crash, processes for single connections refuse them with this word.
    if (line.includes(`[${pid}] FATAL`))
      ready.reject(new Error(`PostgreSQL did not start:\n${log.join('\n')}`))
    if (log.length > 100) log.shift()
  })
  await ready.promise.catch(async (error) => {
    await end()
    throw error
  })
  for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref()
  return { pid, end }
}

/** The processes that it has started, one per connection. None if it has ended. Linux only. */
async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children.split(' ').filter(Boolean).map(Number)
}

/** To a process that may have ended already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

interface ServerUser {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root; its Debian package brings a user for it. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

let ownServer: Promise<RunningPostgres> | undefined

/** The server of this test run, or one for this process alone when a test file is run alone. */
export async function testPostgresUrl(): Promise<string> {
  const given = process.env.MASTHEAD_TEST_POSTGRES
  if (given !== undefined && given !== '') return given
  ownServer ??= startPostgres({ durable: false })
  return (await ownServer).url
}

export interface PostgresSchema extends AsyncDisposable {
  name: string
  /** Connections made with it see this schema alone. */
  url: string
  query<Row extends object>(sql: string): Promise<Row[]>
  drop(): Promise<void>
}

/** A fresh schema on the test server; `await using` drops it at the end of the block. */
export async function postgresSchema(): Promise<PostgresSchema> {
  const server = await testPostgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await runSql(server, `create schema ${name}`)
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${name}`)
  const drop = async () => void (await runSql(server, `drop schema if exists ${name} cascade`))
  return {
    name,
    url: url.href,
    query: (sql) => runSql(url.href, sql),
    drop,
    [Symbol.asyncDispose]: drop,
  }
}

export async function runSql<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
