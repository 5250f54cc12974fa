import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, link, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

const repository = join(import.meta.dirname, '..')
const read = (file: string) => readFile(join(repository, 'deploy', file), 'utf8')
const operatorKey = 'the operator key of this journey alone'
/** Only root can run a program as somebody else. */
const isRoot = process.getuid?.() === 0

interface Installation {
  /** Where the files are that an image has, and nothing else. */
  folder: string
  node: string
  data(): Promise<string>
}

let temporary: Awaited<ReturnType<typeof temporaryFolder>>
let installed: Installation
const containerUser = 10_001

/** Copies what the container file copies. Modules are left out: the built server needs none. */
before(async () => {
  temporary = await temporaryFolder('masthead-installed')
  await chmod(temporary.path, 0o755)
  const folder = join(temporary.path, 'app')
  const copied = [...(await read('Containerfile')).matchAll(/cp -Rp? ((?:[\w./@-]+ )+)\/image\/app/g)]
  const files = copied.flatMap(([, list = '']) => list.trim().split(' '))
  assert.ok(files.length > 5)
  for (const file of files.filter((name) => name !== 'node_modules')) {
    const filter = (from: string) => !from.includes('/node_modules')
    await cp(join(repository, file), join(folder, file), {
      recursive: true,
      preserveTimestamps: true,
      filter,
    })
  }
  const node = join(folder, 'node_modules/node/bin/node')
  await mkdir(dirname(node), { recursive: true })
  await link(process.execPath, node).catch(() => cp(process.execPath, node))
  let folders = 0
  installed = {
    folder,
    node,
    async data() {
      const data = join(temporary.path, `data-${folders++}`)
      await mkdir(data, { mode: 0o700 })
      if (isRoot) await chown(data, containerUser, containerUser)
      return data
    },
  }
})
after(() => temporary.remove())

/** As another user, with these capabilities and no way to get more. */
function asUser(...capabilities: string[]): string[] {
  if (!isRoot) return []
  const list = capabilities.map((name) => `+${name}`)
  const ids = [`--reuid=${containerUser}`, `--regid=${containerUser}`, '--clear-groups', '--no-new-privs']
  const bounds = [`--inh-caps=${['-all', ...list].join()}`, `--bounding-set=${['-all', ...list].join()}`]
  const given = list.length === 0 ? [] : [`--ambient-caps=${list.join()}`]
  return ['setpriv', ...ids, ...bounds, ...given]
}

async function publishAndVisit(masthead: MastheadProcess, platform: string): Promise<void> {
  const api = async (path: string, key: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const answer = await fetch(`${masthead.origin}/v1/${path}`, { method: 'POST', headers, body })
    assert.equal(answer.status, 201, await answer.clone().text())
    return (await answer.json()) as { key: { secret: string } }
  }
  const account = JSON.stringify({ name: 'Acme', plan: 'pro' })
  const { key } = await api('operator/accounts', operatorKey, 'application/json', account)
  await api('projects', key.secret, 'application/json', JSON.stringify({ slug: 'acme' }))
  const archive = tarGz({ 'index.html': 'installed' })
  await api('projects/acme/deployments', key.secret, 'application/gzip', archive)
  assert.deepEqual(await visitHost(masthead, `acme.${platform}`), { status: 200, body: 'installed' })
}

test('the files of the container run as nobody, pass their health check and have every page', async () => {
  const text = await read('Containerfile')
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(text) ?? []
  const [, check = '[]'] = /^HEALTHCHECK .*\\\n\s+CMD (.*)$/m.exec(text) ?? []
  const [program, main = ''] = JSON.parse(entry) as string[]
  const [checker, ...checkArgs] = JSON.parse(check) as string[]
  assert.deepEqual([program, checker], ['node', 'node'])
  assert.ok(text.includes(`\nUSER ${containerUser}:${containerUser}\n`))
  const { folder, node } = installed
  await using masthead = await MastheadProcess.start({
    dataFolder: await installed.data(),
    command: [...asUser(), node, join(folder, main)],
    apiHost: '127.0.0.1',
    env: { NODE_ENV: 'production', MASTHEAD_HOST: '0.0.0.0', MASTHEAD_OPERATOR_KEY: operatorKey },
  })
  const env = { PATH: process.env.PATH, MASTHEAD_HTTP_PORT: String(masthead.httpPort) }
  const [code] = await once(spawn(node, checkArgs, { env, stdio: 'inherit' }), 'exit')
  assert.equal(code, 0)
  const down = { ...env, MASTHEAD_HTTP_PORT: String(await freePort()) }
  const [refused] = await once(spawn(node, checkArgs, { env: down, stdio: 'inherit' }), 'exit')
  assert.equal(refused, 1)
  for (const path of ['/', '/docs', '/docs/operations', '/cli', '/v1/openapi.json'])
    assert.equal((await fetch(`${masthead.origin}${path}`)).status, 200, path)
  assert.match(await (await fetch(masthead.origin)).text(), /<script/)
  await publishAndVisit(masthead, 'masthead.localhost')
})

test('the unit of systemd starts with its settings, as its user, on ports below 1024', async () => {
  const unit = new Map(
    [...(await read('systemd/masthead.service')).matchAll(/^(\w+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
  const lines = [...(await read('systemd/masthead.env')).matchAll(/^([A-Z_]+)=(.*)$/gm)]
  const settings = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))
  const [program = '', ...args] = (unit.get('ExecStart') ?? '').split(' ')
  assert.equal(program, '/opt/masthead/node_modules/node/bin/node')
  const capability = (unit.get('AmbientCapabilities') ?? '').replace('CAP_', '').toLowerCase()
  // Of this journey alone, as the ports of the file may be taken.
  const ports = isRoot ? { http: 937, https: 938 } : { http: await freePort(), https: await freePort() }
  const { MASTHEAD_HTTP_PORT: _http, MASTHEAD_HTTPS_PORT: _https, ...env } = settings
  await using masthead = await MastheadProcess.start({
    dataFolder: await installed.data(),
    command: [...asUser(capability), installed.node, ...args.map((file) => join(installed.folder, file))],
    ports,
    apiHost: '127.0.0.1',
    env: { ...env, MASTHEAD_CA: 'internal', MASTHEAD_OPERATOR_KEY: operatorKey },
  })
  await publishAndVisit(masthead, settings.MASTHEAD_PLATFORM_DOMAIN ?? '')
  await masthead.kill('SIGTERM')
  assert.equal(await masthead.ended(), 0)
})
