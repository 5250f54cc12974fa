import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithUs } from '@masthead/testing/end-with-us.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { requirePeer } from '@masthead/testing/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

export interface RunningServer {
  port: number
  stop(): Promise<void>
}

/** nginx as one would tune it for static files on one core. */
export async function startNginx(folder: string, core: number): Promise<RunningServer> {
  const port = await freePort()
  const work = await temporaryFolder('masthead-nginx')
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
  server { listen 127.0.0.1:${port}; root ${folder}; }
}
`
  const file = join(work.path, 'nginx.conf')
  const ownUser = process.getuid?.() === 0
  await writeFile(file, ownUser ? configuration : configuration.replace('user root;\n', ''))
  const arguments_ = ['-c', file, '-p', work.path, '-e', join(work.path, 'startup.log')]
  return start(requirePeer('nginx'), arguments_, {}, core, port, work.remove)
}

/** Caddy's file server, with the Go runtime kept to the one core it is given. */
export async function startCaddy(folder: string, core: number): Promise<RunningServer> {
  const port = await freePort()
  const work = await temporaryFolder('masthead-caddy')
  const file = join(work.path, 'Caddyfile')
  const options = '{\n  admin off\n  auto_https off\n}\n'
  await writeFile(
    file,
    `${options}http://:${port} {\n  bind 127.0.0.1\n  root * ${folder}\n  file_server\n}\n`,
  )
  const env = { GOMAXPROCS: '1', HOME: work.path, XDG_DATA_HOME: work.path, XDG_CONFIG_HOME: work.path }
  const arguments_ = ['run', '--config', file, '--adapter', 'caddyfile']
  return start(requirePeer('caddy'), arguments_, env, core, port, work.remove)
}

async function start(
  program: string,
  arguments_: string[],
  env: Record<string, string>,
  core: number,
  port: number,
  removeWork: () => Promise<void>,
): Promise<RunningServer> {
  const child = spawn('taskset', ['-c', String(core), program, ...arguments_], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  endWithUs(child)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000)
  })
  const stop = async () => {
    await end(child)
    await removeWork()
  }
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (answered) return { port, stop }
    await delay(50)
  }
  await stop()
  throw new Error(`${program} did not start:\n${errors}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
