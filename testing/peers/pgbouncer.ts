import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { startSupervised } from '../supervised-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'
import { serverUser } from './postgres.ts'

/** PgBouncer in front of a PostgreSQL server, on a free loopback port. It does not keep the process alive. */
export async function startPgBouncer(
  url: string,
  mode: 'session' | 'transaction',
): Promise<AsyncDisposable & { url: string }> {
  const program = requirePeer('pgbouncer')
  const { path: folder } = await temporaryFolder('masthead-pgbouncer')
  const behind = new URL(url)
  const port = await freePort()
  const user = serverUser()
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=${behind.hostname} port=${behind.port} user=${behind.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
; Everybody connects as the user above.
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits,options
${user === undefined ? '' : 'user = postgres'}
`,
  )
  const { stop } = await startSupervised({ command: [program, file], folder, ports: [port] })
  const front = new URL(url)
  front.port = String(port)
  return { url: front.href, [Symbol.asyncDispose]: stop }
}
