import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'

export interface RunningPostgres {
  url: string
  stop(): Promise<void>
}

/**
 * The shell stands between us and PostgreSQL and waits on our pipe. However this process ends, the pipe closes,
 * and the shell stops the server and removes its data: nothing is left behind even by a SIGKILL.
 */
const stopWhenPipeCloses = 'folder=$1; shift; "$@" & read -r _; kill -INT $!; wait $!; rm -rf "$folder"'

/** An empty cluster of its own on a free loopback port. It does not keep the process alive. */
export async function startPostgres(): Promise<RunningPostgres> {
  const programs = dirname(requirePeer('postgresql'))
  const { path: folder } = await temporaryFolder('masthead-postgres')
  const data = join(folder, 'data')
  const user = serverUser()
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  const initialise = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  await promisify(execFile)(join(programs, 'initdb'), initialise, { ...user, cwd: folder })

  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200' }
  const command = [join(programs, 'postgres'), '-D', data, '-p', String(port)]
  for (const [name, value] of Object.entries(settings)) command.push('-c', `${name}=${value}`)
  const child = spawn('sh', ['-c', stopWhenPipeCloses, 'sh', folder, ...command], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    // A Ctrl-C in the terminal must reach us alone, or the shell would die before its clean-up.
    detached: true,
  })
  const exited = once(child, 'exit')

  const log: string[] = []
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    if (line.includes('ready to accept connections')) ready.resolve()
    if (line.includes('FATAL')) ready.reject(new Error(`PostgreSQL did not start:\n${log.join('\n')}`))
    if (log.length > 100) log.shift()
  })
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await exited
  }
  await ready.promise.catch(async (error) => {
    await stop()
    throw error
  })
  child.unref()
  for (const pipe of [child.stdin, child.stderr]) if (pipe instanceof Socket) pipe.unref()
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop }
}

/** PostgreSQL refuses to run as root; its Debian package brings a user for it. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

let ownServer: Promise<RunningPostgres> | undefined

/** The server of this test run, or one for this process alone when a test file is run by itself. */
export async function testPostgresUrl(): Promise<string> {
  const given = process.env.MASTHEAD_TEST_POSTGRES
  if (given !== undefined && given !== '') return given
  ownServer ??= startPostgres()
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

async function runSql<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
