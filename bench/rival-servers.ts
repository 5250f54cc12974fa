import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { requirePeer } from '@masthead/testing/peers/peers.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

interface RunningServer {
  port: number
  stop(): Promise<void>
}

export interface ServerCommand {
  command: readonly string[]
  env?: Record<string, string>
  /** Null for any core. */
  core: number | null
  port: number
  /** Its own folder, removed with it. */
  work: { remove(): Promise<void> }
}

/** Starts a server on one core and waits until its port accepts connections. */
export async function startServer({ command, env, core, port, work }: ServerCommand): Promise<RunningServer> {
  const pinned = core === null ? command : ['taskset', '-c', String(core), ...command]
  const [program = '', ...words] = pinned
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  killOnExit(child)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000)
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    await work.remove()
  }
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    using connection = await OpenConnection.to(port).catch(() => null)
    if (connection !== null) return { port, stop }
    await delay(50)
  }
  await stop()
  throw new Error(`${command[0]} did not start:\n${errors}`)
}

/** Serves a folder from one core, over HTTPS if there is a certificate. */
export interface Serving {
  folder: string
  core: number
  secure?: { host: string; certificateFile: string; keyFile: string }
}

/** nginx as one would tune it for static files on one core. */
export async function startNginx({ folder, core, secure }: Serving): Promise<RunningServer> {
  const port = await freePort()
  const work = await temporaryFolder('masthead-nginx')
  const tls =
    secure &&
    `ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate ${secure.certificateFile}; ssl_certificate_key ${secure.keyFile};`
  const configuration = `
daemon off;
user root;
worker_processes 1;
pid ${work.path}/pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  etag on;
  gzip off;
  keepalive_requests 1000000;
  open_file_cache max=10000 inactive=60s;
  open_file_cache_valid 60s;
  types { text/html html; }
  client_body_temp_path ${work.path}/body;
  proxy_temp_path ${work.path}/proxy;
  fastcgi_temp_path ${work.path}/fastcgi;
  uwsgi_temp_path ${work.path}/uwsgi;
  scgi_temp_path ${work.path}/scgi;
  server { listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''}; ${tls ?? ''} root ${folder}; }
}
`
  const file = join(work.path, 'nginx.conf')
  const ownUser = process.getuid?.() === 0
  await writeFile(file, ownUser ? configuration : configuration.replace('user root;\n', ''))
  const command = [requirePeer('nginx'), '-c', file, '-p', work.path, '-e', join(work.path, 'startup.log')]
  return startServer({ command, core, port, work })
}

/** Caddy's file server, with the Go runtime limited to its one core. */
export async function startCaddy({ folder, core, secure }: Serving): Promise<RunningServer> {
  const port = await freePort()
  const work = await temporaryFolder('masthead-caddy')
  const file = join(work.path, 'Caddyfile')
  const address = secure ? `https://${secure.host}:${port}` : `http://:${port}`
  const tls = secure ? `tls ${secure.certificateFile} ${secure.keyFile}` : ''
  await writeFile(
    file,
    `{
  admin off
  auto_https off
  servers {
    protocols h1 h2
  }
}
${address} {
  bind 127.0.0.1
  ${tls}
  root * ${folder}
  file_server
}
`,
  )
  const env = { GOMAXPROCS: '1', HOME: work.path, XDG_DATA_HOME: work.path, XDG_CONFIG_HOME: work.path }
  const command = [requirePeer('caddy'), 'run', '--config', file, '--adapter', 'caddyfile']
  return startServer({ command, env, core, port, work })
}

export async function startH2o({ folder, core, secure }: Serving): Promise<RunningServer> {
  const port = await freePort()
  const work = await temporaryFolder('masthead-h2o')
  const file = join(work.path, 'h2o.json')
  const ssl = secure && {
    'certificate-file': secure.certificateFile,
    'key-file': secure.keyFile,
    // The others do this by default.
    'max-version': 'TLSv1.3',
  }
  // Its settings are YAML, a superset of JSON.
  const settings = {
    ...(process.getuid?.() === 0 && { user: 'root' }),
    'num-threads': 1,
    'max-connections': 4096,
    'error-log': join(work.path, 'error.log'),
    listen: { host: '127.0.0.1', port, ...(ssl && { ssl }) },
    hosts: { default: { paths: { '/': { 'file.dir': folder } } } },
  }
  await writeFile(file, JSON.stringify(settings))
  return startServer({ command: [requirePeer('h2o'), '-c', file], core, port, work })
}
