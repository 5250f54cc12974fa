import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type Config, readConfig } from './config.ts'
import {
  fill,
  read,
  readCompose,
  readKubernetes,
  repository,
  type Variables,
  variablesIn,
  variablesOf,
} from './reference-installations.test-kit.ts'

/** What a stop may take beyond the delay and the grace period. */
const toStop = 2

/** Fails if the server would not start with them, or does not know one. */
function configOf(variables: Variables): Readonly<Config> {
  const known = read('packages/server/src/config/config.ts')
  const unknown = Object.keys(variables).filter((name) => !known.includes(`'${name}'`))
  assert.deepEqual(unknown, [])
  return readConfig(variables)
}

const stopSeconds = ({ drainDelay, stopGrace }: Readonly<Config>) => (drainDelay + stopGrace) / 1000 + toStop

function settingsOf(unit: string): Map<string, string[]> {
  const lines = read(unit)
    .split('\n')
    .filter((line) => /^[A-Za-z]+=/.test(line))
  return Map.groupBy(lines, (line) => line.slice(0, line.indexOf('='))) as Map<string, string[]>
}

const unit = 'deploy/systemd/masthead.service'

test('the settings for systemd are ones the server starts with, and it has time to stop', () => {
  const config = configOf(variablesIn('deploy/systemd/masthead.env'))
  assert.deepEqual([config.httpPort, config.httpsPort], [80, 443])
  const [timeout = ''] = settingsOf(unit).get('TimeoutStopSec') ?? []
  assert.ok(Number(timeout.split('=')[1]) >= stopSeconds(config), timeout)
  const all = { ...variablesIn('deploy/systemd/masthead.env', { commented: true }), MASTHEAD_MASTER_KEY: '' }
  assert.equal(configOf(all).workers, 4)
})

test('the unit starts files that exist, and may listen on ports below 1024', () => {
  const value = (name: string) =>
    settingsOf(unit)
      .get(name)?.[0]
      ?.slice(name.length + 1)
  const [program = '', ...args] = value('ExecStart')?.split(' ') ?? []
  const folder = value('WorkingDirectory') ?? ''
  assert.equal(program, `${folder}/node_modules/node/bin/node`)
  for (const file of args) assert.ok(existsSync(join(repository, file)), file)
  assert.equal(value('AmbientCapabilities'), 'CAP_NET_BIND_SERVICE')
  assert.equal(value('Environment'), `MASTHEAD_DATA=/var/lib/${value('StateDirectory')}`)
  assert.ok(Number(value('LimitNOFILE')) >= 65_536)
})

test('the socket unit opens the ports of the settings, in the order that the server takes them', () => {
  const { host, httpPort, httpsPort } = configOf(variablesIn('deploy/systemd/masthead.env'))
  const opened = settingsOf('deploy/systemd/masthead.socket').get('ListenStream')
  assert.deepEqual(opened, [`ListenStream=${host}:${httpPort}`, `ListenStream=${host}:${httpsPort}`])
})

test('systemd understands the units and finds little to harden', {
  skip: skipWithout('systemd'),
}, async () => {
  await using folder = await temporaryFolder()
  // It looks for the program, which is here and not where it would be installed.
  const here = (await readFile(join(repository, unit), 'utf8')).replaceAll('/opt/masthead', repository)
  const file = join(folder.path, 'masthead.service')
  await writeFile(file, here)
  const socket = join(folder.path, 'masthead.socket')
  await copyFile(join(repository, 'deploy/systemd/masthead.socket'), socket)
  const analyze = (...args: string[]) =>
    promisify(execFile)(requirePeer('systemd'), args, { env: { ...process.env, SYSTEMD_PAGER: '' } })
  const { stderr } = await analyze('verify', '--man=no', file, socket)
  assert.equal(
    stderr
      .split('\n')
      .filter((line) => line.includes('masthead.'))
      .join('\n'),
    '',
  )
  // Tenths: 2.5 of 10. It exits with 1 above that.
  await analyze('security', '--offline=true', '--threshold=25', '--no-pager', file)
})

test('the compose file runs two equal nodes with settings the server starts with', () => {
  const { services, volumes, configs } = readCompose()
  const nodes = ['node-1', 'node-2'].map((name) => services[name])
  assert.deepEqual(nodes[0]?.environment, nodes[1]?.environment)
  const text = read('deploy/compose.yaml')
  const used = [...text.matchAll(/\$\{([A-Z0-9_]+)\}/g)].map(([, name = '']) => name)
  assert.deepEqual([...new Set(used)].sort(), Object.keys(variablesIn('deploy/compose.env.example')).sort())
  const config = configOf(fill(nodes[0]?.environment ?? {}))
  assert.deepEqual([config.httpPort, config.httpsPort], [80, 443])
  assert.ok(Number.parseInt(nodes[0]?.stop_grace_period ?? '', 10) >= stopSeconds(config))
  assert.ok(existsSync(join(repository, nodes[0]?.build?.dockerfile ?? 'nowhere')))

  const mounted = Object.values(services)
    .flatMap((service) => service.volumes ?? [])
    .map((volume) => volume.split(':')[0])
  assert.deepEqual([...new Set(mounted)].sort(), Object.keys(volumes).sort())
  const balanced = [...(configs.balancer?.content ?? '').matchAll(/server (\S+) \1:(\d+)/g)].map(
    ([, name, port]) => `${name}:${port}`,
  )
  assert.deepEqual(balanced, ['node-1:80', 'node-2:80', 'node-1:443', 'node-2:443'])
})

test('the Kubernetes manifest starts servers, finds them by their ports and lets them stop', () => {
  const all = readKubernetes()
  const deployments = all('Deployment')
  assert.deepEqual(
    deployments.map(({ metadata }) => metadata.name),
    ['edge', 'api'],
  )
  for (const { metadata, spec } of deployments) {
    const pod = spec.template.spec
    const [container] = pod.containers
    assert.ok(container !== undefined)
    const config = configOf(variablesOf(all, container))
    assert.ok(pod.terminationGracePeriodSeconds >= stopSeconds(config))
    assert.deepEqual(
      container.ports.map(({ name, containerPort }) => [name, containerPort]),
      [
        ['http', config.httpPort],
        ['https', config.httpsPort],
      ],
    )
    assert.deepEqual(container.readinessProbe.httpGet, { path: '/readyz', port: 'http' })
    assert.deepEqual(container.livenessProbe.httpGet, { path: '/healthz', port: 'http' })
    assert.deepEqual(
      container.volumeMounts.map(({ name }) => name),
      pod.volumes.map(({ name }) => name),
    )
    // The user that the image gives its data folder to.
    assert.ok(read('deploy/Containerfile').includes(`USER ${pod.securityContext.runAsUser}:`))
    const { labels } = spec.template.metadata
    assert.deepEqual(spec.selector, { matchLabels: labels })
    const named = (kind: string) => all(kind).find((one) => one.metadata.name === metadata.name)?.spec
    assert.deepEqual(named('Service')?.selector, labels)
    assert.deepEqual(
      named('Service')?.ports.map(({ port, targetPort }) => [port, targetPort]),
      [
        [80, 'http'],
        [443, 'https'],
      ],
    )
    assert.deepEqual(named('PodDisruptionBudget')?.selector, { matchLabels: labels })
  }
})

test('the container file copies and runs only what exists, as nobody, with the ports of the server', () => {
  const text = read('deploy/Containerfile')
  const copied = [...text.matchAll(/cp -R ((?:[\w./@-]+ )+)\/image/g)].flatMap(([, files = '']) =>
    files.trim().split(' '),
  )
  const made = ['node_modules', 'packages/dashboard/dist', 'packages/cli/dist', 'packages/client/dist']
  assert.ok(copied.length >= 5)
  for (const file of copied) assert.ok(made.includes(file) || existsSync(join(repository, file)), file)
  const { scripts, workspaces } = JSON.parse(read('package.json')) as {
    scripts: Variables
    workspaces: string[]
  }
  for (const [, script = ''] of text.matchAll(/npm run (\w+)/g)) assert.ok(script in scripts, script)
  assert.ok(
    globSync(
      workspaces.map((folder) => `${folder}/package.json`),
      { cwd: repository },
    ).length > 5,
  )
  const config = readConfig({})
  assert.match(text, new RegExp(`^EXPOSE ${config.httpPort} ${config.httpsPort}$`, 'm'))
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(text) ?? []
  const [, program = ''] = JSON.parse(entry) as string[]
  assert.ok(existsSync(join(repository, program)), program)
  assert.match(text, /^USER (\d+):\1$/m)
  assert.match(text, /MASTHEAD_DATA=\/data .*\n(?:.*\n)*VOLUME \/data$/m)
})
