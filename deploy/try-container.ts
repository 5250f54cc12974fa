/**
 * Builds the image of deploy/Containerfile with buildah, starts it, publishes a folder, and sees it served. By hand,
 * with buildah installed: npx node deploy/try-container.ts [image to use as BASE]
 *
 * Without a base image it makes one from this machine's files, so that it needs no registry of images. It then needs
 * root and Linux.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const repository = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'masthead-container-'))
const storage = [
  '--storage-driver',
  'vfs',
  '--root',
  join(folder, 'images'),
  '--runroot',
  join(folder, 'run'),
]
const port = 18_080
const image = 'localhost/masthead-try'
const operatorKey = 'the operator key of this trial alone'

function run(file: string, args: readonly string[], options: object = {}): string {
  return execFileSync(file, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  }).trim()
}

function buildah(...args: string[]): string {
  return run('buildah', [...storage, ...args])
}

/** A shell, the tools that the container file uses, npm and the libraries of all of them. */
function makeBase(): string {
  const files = join(folder, 'base')
  const tools = ['sh', 'env', 'cp', 'mv', 'rm', 'mkdir', 'find', 'chown', 'chmod']
  const programs = tools.map((name) => run('sh', ['-c', `command -v ${name}`]))
  const npm = realpathSync(run('sh', ['-c', 'PATH=/usr/local/bin:/usr/bin command -v npm']))
  const node = realpathSync(run('sh', ['-c', 'PATH=/usr/local/bin:/usr/bin command -v node']))
  const libraries = [node, process.execPath, ...programs].flatMap((program) => {
    const linked = run('sh', ['-c', `ldd ${realpathSync(program)} 2>/dev/null || true`])
    return [...linked.matchAll(/(\/\S+)(?= \(0x)/g)].map(([path]) => path)
  })
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(files, to)), { recursive: true })
    cpSync(realpathSync(from), join(files, to), { recursive: true })
  }
  for (const path of [...programs, ...new Set(libraries)]) put(path, path)
  put(node, '/usr/bin/node')
  // The command is a link into the folder of the package.
  const npmFolder = join(dirname(npm), '..')
  put(npmFolder, '/usr/lib/node_modules/npm')
  mkdirSync(join(files, 'usr/local/bin'), { recursive: true })
  writeFileSync(
    join(files, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  )
  for (const path of ['/etc/ssl/certs/ca-certificates.crt', '/etc/nsswitch.conf'])
    if (existsSync(path)) put(path, path)
  if (!existsSync(join(files, 'bin/sh'))) put('/bin/sh', '/bin/sh')
  mkdirSync(join(files, 'tmp'), { recursive: true, mode: 0o1777 })
  const container = buildah('from', 'scratch')
  const roots = process.env.NODE_EXTRA_CA_CERTS
  if (roots !== undefined) buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${roots}`, container)
  buildah('copy', container, files, '/')
  buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', '--env', 'HOME=/tmp', container)
  buildah('commit', '--quiet', '--rm', container, 'localhost/masthead-try-base')
  rmSync(files, { recursive: true })
  return 'localhost/masthead-try-base'
}

function build(base: string, isOurs: boolean): void {
  const registry = run('npm', ['config', 'get', 'registry'])
  const args = ['--build-arg', `BASE=${base}`, '--build-arg', `NPM_CONFIG_REGISTRY=${registry}`]
  buildah(
    'build',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    ...(isOurs ? ['--pull-never'] : []),
    ...args,
    '-f',
    join(repository, 'deploy/Containerfile'),
    '-t',
    image,
    repository,
  )
}

/** Starts the image as it would be started, but in this machine's network. */
async function tryIt(): Promise<void> {
  const container = buildah('from', '--pull-never', image)
  const site = join(folder, 'site')
  mkdirSync(site)
  writeFileSync(join(site, 'index.html'), '<h1>From a container</h1>')
  const settings = {
    MASTHEAD_HTTP_PORT: port,
    MASTHEAD_HTTPS_PORT: port + 1,
    MASTHEAD_LAB_PORT: 'off',
    MASTHEAD_OPERATOR_KEY: operatorKey,
  }
  const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const inspected = JSON.parse(buildah('inspect', '--type', 'image', image)) as {
    Docker: { config: { Entrypoint: string[]; User: string; Healthcheck: { Test: string[] } } }
  }
  const { Entrypoint, User, Healthcheck } = inspected.Docker.config
  const inContainer = (...command: string[]) => [
    ...storage,
    'run',
    '--isolation',
    'chroot',
    ...env,
    container,
    '--',
    ...command,
  ]
  console.log(`Starting it as user ${User}.`)
  const server = spawn('buildah', inContainer(...Entrypoint), { stdio: ['ignore', 'inherit', 'inherit'] })
  const exited = new Promise<number | null>((resolve) => server.on('exit', resolve))
  try {
    const origin = `http://localhost:${port}`
    for (let waited = 0; ; waited++) {
      if ((await fetch(`${origin}/readyz`).catch(() => null))?.ok) break
      if (waited > 600) throw new Error('It was not ready within a minute')
      await sleep(100)
    }
    run('buildah', inContainer(...Healthcheck.Test.slice(1)))
    console.log('Its health check passes.')
    const programs = run('buildah', inContainer('find', '/app', '-name', 'node', '-size', '+50M')).split('\n')
    if (programs.length !== 1) throw new Error(`The image has Node.js more than once: ${programs.join(', ')}`)
    const dashboard = await fetch(origin)
    if (!(await dashboard.text()).includes('<script')) throw new Error('The dashboard is missing')
    const account = await fetch(`${origin}/v1/operator/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Trial', plan: 'pro' }),
    })
    const { key } = (await account.json()) as { key: { secret: string } }
    const cli = join(repository, 'packages/cli/bin/masthead.js')
    const published = run(
      process.execPath,
      [cli, 'deploy', site, '--project', 'trial', '--yes', '--server', origin],
      {
        env: { ...process.env, MASTHEAD_KEY: key.secret, HOME: folder },
      },
    )
    console.log(published)
    if (!(await pageOf(`trial.masthead.localhost:${port}`)).includes('From a container'))
      throw new Error('The site is not served')
    console.log('The site is served.')
    console.log(run('buildah', inContainer('node', 'packages/server/bin/masthead-server.js', 'doctor')))
  } finally {
    if (server.exitCode === null) for (const pid of leavesOf(server.pid ?? 0)) process.kill(pid, 'SIGTERM')
    await exited
    console.log('It has stopped.')
  }
}

/** The programs that a process started last, such as the server: buildah itself does not pass signals on. */
function leavesOf(pid: number): number[] {
  // Of every thread, because any may have started it.
  const lists = globSync(`/proc/${pid}/task/*/children`).map((file) => readFileSync(file, 'utf8'))
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean))
  return children.length === 0 ? [pid] : children.flatMap((child) => leavesOf(Number(child)))
}

async function pageOf(host: string): Promise<string> {
  const [response] = (await once(get({ port, headers: { host } }), 'response')) as [IncomingMessage]
  return text(response)
}

try {
  const [given] = process.argv.slice(2)
  const base = given ?? makeBase()
  console.log(`Building on ${base}.`)
  build(base, given === undefined)
  console.log(buildah('images', '--format', '{{.Name}} has {{.Size}}'))
  await tryIt()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
