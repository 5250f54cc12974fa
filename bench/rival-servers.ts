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
export async function startServer({ command, env, core, port, work }: ServerCommand) {
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

export interface ServedSite {
  host: string
  /** May hold files with `.br` and `.gz` beside them, for clients that accept these. */
  folder: string
}

export interface Serving {
  sites: readonly ServedSite[]
  core: number
  /** For all sites. */
  certificate: { certificateFile: string; keyFile: string }
}

export interface RivalServer {
  httpPort: number
  httpsPort: number
  stop(): Promise<void>
}

/** nginx as one would tune it for static files on one core. */
export async function startNginx({ sites, core, certificate }: Serving): Promise<RivalServer> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const work = await temporaryFolder('masthead-nginx')
  const configuration = `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
load_module ${requirePeer('nginxBrotli')};
worker_processes 1;
worker_rlimit_nofile 40000;
pid ${work.path}/pid;
error_log stderr crit;
events { worker_connections 20000; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  etag on;
  gzip off;
  gzip_static on;
  brotli_static on;
  keepalive_requests 100000000;
  open_file_cache max=10000 inactive=60s;
  open_file_cache_valid 60s;
  server_names_hash_bucket_size 128;
  include /etc/nginx/mime.types;
  types { font/woff2 woff2; image/webp webp; }
  client_body_temp_path ${work.path}/body;
  proxy_temp_path ${work.path}/proxy;
  fastcgi_temp_path ${work.path}/fastcgi;
  uwsgi_temp_path ${work.path}/uwsgi;
  scgi_temp_path ${work.path}/scgi;
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_certificate ${certificate.certificateFile};
  ssl_certificate_key ${certificate.keyFile};
  ${sites
    .map(
      ({ host, folder }) =>
        `server { listen 127.0.0.1:${httpPort}; listen 127.0.0.1:${httpsPort} ssl http2; server_name ${host}; root ${folder}; }`,
    )
    .join('\n  ')}
}
`
  const file = join(work.path, 'nginx.conf')
  await writeFile(file, configuration)
  const command = [requirePeer('nginx'), '-c', file, '-p', work.path, '-e', join(work.path, 'startup.log')]
  const { stop } = await startServer({ command, core, port: httpPort, work })
  return { httpPort, httpsPort, stop }
}

/** Caddy's file server, with the Go runtime limited to its one core. */
export async function startCaddy({ sites, core, certificate }: Serving): Promise<RivalServer> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const work = await temporaryFolder('masthead-caddy')
  const file = join(work.path, 'Caddyfile')
  const blocks = sites.flatMap(({ host, folder }) => {
    const serving = `bind 127.0.0.1
  root * ${folder}
  file_server {
    precompressed br gzip
  }`
    return [
      `http://${host}:${httpPort} {\n  ${serving}\n}`,
      `https://${host}:${httpsPort} {\n  tls ${certificate.certificateFile} ${certificate.keyFile}\n  ${serving}\n}`,
    ]
  })
  const settings = '{\n  admin off\n  auto_https off\n  servers {\n    protocols h1 h2\n  }\n}'
  await writeFile(file, [settings, ...blocks, ''].join('\n'))
  const env = { GOMAXPROCS: '1', HOME: work.path, XDG_DATA_HOME: work.path, XDG_CONFIG_HOME: work.path }
  const command = [requirePeer('caddy'), 'run', '--config', file, '--adapter', 'caddyfile']
  const { stop } = await startServer({ command, env, core, port: httpPort, work })
  return { httpPort, httpsPort, stop }
}

export async function startH2o({ sites, core, certificate }: Serving): Promise<RivalServer> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const work = await temporaryFolder('masthead-h2o')
  const file = join(work.path, 'h2o.yaml')
  const host = '127.0.0.1'
  // The others speak TLS 1.3 by default.
  const ssl = {
    'certificate-file': certificate.certificateFile,
    'key-file': certificate.keyFile,
    'max-version': 'TLSv1.3',
  }
  // Clients may name the port or leave it out.
  const paths = sites.flatMap((site) =>
    ['', `:${httpPort}`, `:${httpsPort}`].map((end) => [
      site.host + end,
      { paths: { '/': { 'file.dir': site.folder } } },
    ]),
  )
  const settings: [string, unknown][] = [
    ...(process.getuid?.() === 0 ? [['user', 'root'] as [string, string]] : []),
    ['num-threads', 1],
    ['max-connections', 20_000],
    ['error-log', join(work.path, 'error.log')],
    ['file.send-compressed', 'ON'],
    ['listen', { host, port: httpPort }],
    ['listen', { host, port: httpsPort, ssl }],
    ['hosts', Object.fromEntries(paths)],
  ]
  // YAML, of which JSON is a part; each address is a `listen` of its own.
  await writeFile(file, settings.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join(''))
  const { stop } = await startServer({
    command: [requirePeer('h2o'), '-c', file],
    core,
    port: httpPort,
    work,
  })
  return { httpPort, httpsPort, stop }
}
