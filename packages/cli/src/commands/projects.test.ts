import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
const workplace = (files: Record<string, string> = {}) => createWorkplace(server(), files)
const site = (slug: string) => server().site(slug)

test('projects and deployments are listed in columns, or as JSON', async () => {
  await using place = await workplace()
  await place.addProject('site')
  await place.addProject('another-site')
  const deployment = await place.publish('site')

  const lines = (await place.run('projects')).stdout.split('\n')
  assert.equal(lines[0], `another-site  ${site('another-site')}  nothing published yet`)
  assert.match(lines[1] ?? '', new RegExp(`^site {10}${site('site')} {10}live`))
  assert.equal(JSON.parse((await place.run('projects --json')).stdout)[1].slug, 'site')

  const listed = await place.run('deployments site')
  assert.match(
    listed.stdout,
    new RegExp(`^By \\S.*, \\d\\d:\\d\\d  live +just now  1 file  4 B  ${deployment.id}  http`),
  )
  assert.equal(JSON.parse((await place.run('deployments -p site --json')).stdout)[0].id, deployment.id)
})

test('a list with nothing in it says what to do first, beside an empty result', async () => {
  await using place = await workplace()
  const { stdout, stderr } = await place.run('projects')
  assert.equal(stdout, '')
  assert.equal(stderr, 'No projects yet. Publish the first one: masthead deploy ./some-folder\n')
  assert.deepEqual(JSON.parse((await place.run('projects --json')).stdout), [])
})

test('a site that the operator took down is shown with the reason', async () => {
  await using place = await workplace()
  const { id } = await place.addProject('site')
  const body = { reason: 'A court order.', status: 451 } as const
  await server().operator.takeDownSite({ params: { project: id }, body })
  assert.match(
    (await place.run('projects')).stdout,
    new RegExp(`^site +${site('site')} +taken down \\(451\\)`),
  )
  const opened = await place.run('open site')
  assert.equal(opened.stdout, `${site('site')}\n`)
  assert.match(opened.stderr, /took this site down\. Visitors get 451 and this reason: A court order\./)
})

test('open prints the address of the project', async () => {
  await using place = await workplace()
  await place.addProject('site')
  assert.equal((await place.run('open site')).stdout, `${site('site')}\n`)
  await place.addProject('shop')
  await place.publish('shop')
  await place.goLive(await place.addDomain('shop.acme.localhost', 'shop'), 'shop')
  const domains = { primary: 'shop.acme.localhost', redirects: [] }
  await place.client.putDomainConfig({ params: { project: 'shop' }, body: { domains } })
  const primary = server().host('shop.acme.localhost')
  const shop = await place.run('open shop')
  assert.equal(shop.stdout, `${primary}\n`)
  assert.equal(shop.stderr, `Default subdomain: ${site('shop')}\n`)
  assert.match((await place.run('projects')).stdout, new RegExp(`^shop +${primary} `, 'm'))
  assert.equal((await place.run('open other')).exitCode, 1)
  assert.equal((await place.run('open ..')).exitCode, 2)
})

test('init creates the project and writes masthead.json', async () => {
  await using place = await workplace({ 'dist/index.html': 'hi' })
  const { exitCode, stdout, stderr } = await place.run('init my-site --folder ./dist --json')
  assert.equal(exitCode, 0, stderr)
  const file = { project: 'my-site', folder: 'dist', server: place.proxy.url }
  assert.deepEqual(JSON.parse(await readFile(join(place.path, 'masthead.json'), 'utf8')), file)
  assert.deepEqual(JSON.parse(stdout), { ...file, created: true, url: site('my-site') })
  assert.equal((await place.run('deploy')).stdout, `${site('my-site')}\n`)
})

test('init links a project that exists already', async () => {
  await using place = await workplace()
  await place.addProject('my-site')
  const { stderr } = await place.run('init my-site')
  assert.match(stderr, /Found the project my-site and wrote masthead\.json\./)
  assert.equal(place.proxy.count('createProject'), 0)
})

test('a masthead.json that is there is changed only when that is wanted', { skip: noTerminal }, async () => {
  const before = '{ "project": "old", "folder": "dist" }'
  await using place = await workplace({ 'masthead.json': before })
  const read = () => readFile(join(place.path, 'masthead.json'), 'utf8')

  const unasked = await place.run('init new-site')
  assert.equal(unasked.exitCode, 2)
  assert.match(unasked.stderr, /Add --yes to continue without asking\./)
  const refused = await place.atTerminal('init new-site', { input: 'n\n' })
  assert.equal(refused.exitCode, 1, refused.stdout)
  assert.equal(await read(), before)

  assert.equal((await place.atTerminal('init new-site', { input: 'y\n' })).exitCode, 0)
  assert.equal(JSON.parse(await read()).project, 'new-site')
  assert.equal((await place.run('init newer-site --yes')).exitCode, 0)
  assert.equal(JSON.parse(await read()).folder, 'dist')
})

test('init replaces a project file that cannot be parsed, and others need it only for what it says', async () => {
  for (const [name, text, written] of [
    ['masthead.json', '{ "project": ', /^\{\n {2}"project": "my-site",\n/],
    ['masthead.yaml', 'project: [', /^project: my-site\n/],
  ] as const) {
    await using place = await workplace({ [name]: text })
    const fileName = name.replace('.', '\\.')
    const unread = await place.run('deployments')
    assert.equal(unread.exitCode, 2)
    assert.match(
      unread.stderr,
      new RegExp(`^${fileName} line 1: .*\nFix it, or create it again with .masthead init`),
    )
    assert.equal(
      (await place.run('projects', { env: { MASTHEAD_KEY: 'x' } })).exitCode,
      2,
      'it may name a server',
    )
    assert.equal((await place.run('projects')).exitCode, 0)
    assert.equal((await place.run('completion bash', { env: {} })).exitCode, 0)
    const login = await place.run(`login ${place.proxy.url} --with-key`, { input: server().account.key })
    assert.equal(login.exitCode, 0, login.stderr)
    assert.equal((await place.run('ca', { env: {} })).exitCode, 0)

    const unasked = await place.run('init my-site')
    assert.equal(unasked.exitCode, 2)
    assert.match(unasked.stderr, /Replace the file\? Nobody can answer/)
    const { exitCode, stderr } = await place.run('init my-site --yes', { env: {} })
    assert.equal(exitCode, 0, stderr)
    assert.match(await readFile(join(place.path, name), 'utf8'), written)
  }
})

test('init keeps the settings of a file with a byte order mark', async () => {
  await using place = await workplace({ 'masthead.json': '\uFEFF{ "folder": "dist" }' })
  const { exitCode, stderr } = await place.run('init my-site --yes')
  assert.equal(exitCode, 0, stderr)
  assert.equal(JSON.parse(await readFile(join(place.path, 'masthead.json'), 'utf8')).folder, 'dist')
})

test('at a terminal the name is asked for', { skip: noTerminal }, async () => {
  await using place = await workplace()
  const { exitCode, stdout } = await place.atTerminal('init', { input: 'typed-name\n' })
  assert.equal(exitCode, 0, stdout)
  assert.match(stdout, /Project name\? \(masthead-cli-/)
  assert.equal((await place.client.getProject({ params: { project: 'typed-name' } })).slug, 'typed-name')
})

test('init keeps what else a project file says, comments of YAML included', async () => {
  await using place = await workplace({
    'masthead.yaml': '# ours\nproject: old\ndomains:\n  primary: a.com # soon\n',
  })
  assert.equal((await place.run('init new-site --yes')).exitCode, 0)
  assert.equal(
    await readFile(join(place.path, 'masthead.yaml'), 'utf8'),
    `# ours\nproject: new-site\ndomains:\n  primary: a.com # soon\nfolder: .\nserver: ${place.proxy.url}\n`,
  )
  await using other = await workplace({
    'masthead.json': '{ "$schema": "x", "domains": { "primary": "a.com" } }',
  })
  assert.equal((await other.run('init new-site --yes')).exitCode, 0)
  const { $schema, domains } = JSON.parse(await readFile(join(other.path, 'masthead.json'), 'utf8'))
  assert.deepEqual([$schema, domains], ['x', { primary: 'a.com' }])
})

test('rollback serves the newest ready deployment that is older than the active one', async () => {
  await using place = await workplace({ 'masthead.json': '{ "project": "site" }' })
  await place.addProject('site')
  const params = { project: 'site' }
  const active = async () => (await place.client.getProject({ params })).activeDeployment?.id
  const oldest = await place.publish('site', '1')
  const older = await place.publish('site', '2')
  const files = { '/index.html': { sha256: 'a'.repeat(64), size: 1 } }
  await place.client.createDeployment({ params, body: { files } })
  const newer = await place.publish('site', '3')
  await place.publish('site', '4')
  await place.client.activateDeployment({ params: { ...params, deployment: newer.id } })

  const { exitCode, stdout, stderr } = await place.run('rollback')
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `${site('site')}\n`)
  assert.equal(await active(), older.id)

  await place.run('rollback')
  assert.equal(await active(), oldest.id)

  const end = await place.run('rollback')
  assert.equal(end.exitCode, 1)
  assert.match(end.stderr, /There is no older deployment to go back to\./)
  const named = await place.run('rollback --project site')
  assert.match(
    named.stderr,
    /`masthead deployments --project site`.*`masthead rollback dpl_… --project site`/,
  )
})

test('rollback does not replace what somebody else publishes meanwhile', async () => {
  await using place = await workplace()
  await place.addProject('site')
  await place.publish('site', '1')
  await place.publish('site', '2')
  let newest: string | undefined
  place.proxy.before.activateDeployment = async () => {
    newest = (await place.publish('site', '3')).id
  }
  const { exitCode, stderr } = await place.run('rollback --project site')
  assert.equal(exitCode, 1)
  assert.equal(
    stderr,
    'Another deployment is live now.\nSee it with `masthead deployments --project site`, then run the command again.\n',
  )
  const { activeDeployment } = await place.client.getProject({ params: { project: 'site' } })
  assert.equal(activeDeployment?.id, newest)
})

test('a deployment that is named is served', async () => {
  await using place = await workplace()
  await place.addProject('site')
  const wanted = await place.publish('site', '1')
  await place.publish('site', '2')
  const { stdout } = await place.run(`rollback ${wanted.id} --project site --json`)
  assert.deepEqual(JSON.parse(stdout), { project: 'site', deployment: wanted.id, url: site('site') })
  const { activeDeployment } = await place.client.getProject({ params: { project: 'site' } })
  assert.equal(activeDeployment?.id, wanted.id)
})

test('rollback of a project with nothing published says so', async () => {
  await using place = await workplace()
  await place.addProject('site')
  const { exitCode, stderr } = await place.run('rollback --project site')
  assert.equal(exitCode, 1)
  assert.match(stderr, /Nothing is published yet\.\nPublish with `masthead deploy --project site`\./)
})

test('a word that is no deployment, and no project at all, are wrong usage', async () => {
  await using place = await workplace()
  assert.equal((await place.run('rollback yesterday --project site')).exitCode, 2)
  const { exitCode, stderr } = await place.run('rollback')
  assert.equal(exitCode, 2)
  assert.match(stderr, /No project given/)
})
