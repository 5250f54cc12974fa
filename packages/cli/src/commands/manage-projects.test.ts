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

test('a project is created, renamed and deleted, and what cannot be undone is asked', {
  skip: noTerminal,
}, async () => {
  await using place = await workplace()
  const created = await place.run('projects create my-site --name My-site')
  assert.deepEqual([created.exitCode, created.stdout], [0, `${site('my-site')}\n`])
  await place.publish('my-site')

  assert.equal((await place.run('projects rename my-site our-site')).exitCode, 2, 'nobody can answer')
  const renamed = await place.run('projects rename my-site our-site --name Ours --yes')
  assert.deepEqual([renamed.exitCode, renamed.stdout], [0, `${site('our-site')}\n`])
  const onlyName = await place.run('projects rename our-site --name Theirs --json')
  assert.equal(JSON.parse(onlyName.stdout).name, 'Theirs')

  assert.equal((await place.atTerminal('projects delete our-site', { input: 'n\n' })).exitCode, 1)
  assert.equal(place.proxy.count('deleteProject'), 0)
  const deleted = await place.run('projects delete our-site --yes')
  assert.deepEqual([deleted.exitCode, deleted.stdout, deleted.stderr], [0, '', 'Deleted our-site.\n'])
  assert.equal((await place.run('projects delete our-site --yes')).exitCode, 1)
})

test('wrong words after projects and deployments are explained before anything is sent', async () => {
  await using place = await workplace()
  for (const [words, said] of [
    ['projects craete x', 'Did you mean `masthead projects create`?'],
    ['projects create', 'Use `masthead projects create SLUG`.'],
    ['projects create -x-', '--'],
    ['projects rename site', 'Use `masthead projects rename PROJECT SLUG`.'],
    ['projects delete site --name x', 'See `masthead projects --help`.'],
    ['deployments delete', 'Run `masthead deployments --project site` to list the IDs.'],
    ['deployments site more', 'See `masthead deployments --help`.'],
    ['logs yesterday -p site', 'Run `masthead deployments --project site` to list the IDs.'],
  ] as const) {
    const project = words.startsWith('deployments delete') ? ' -p site' : ''
    const { exitCode, stderr } = await place.run(words + project)
    assert.equal(exitCode, 2, words)
    assert.ok(stderr.includes(said), stderr)
  }
  assert.deepEqual(place.proxy.called, [])
})

test('a deployment is deleted unless it is live, and its log says what happened', async () => {
  await using place = await workplace({ 'masthead.json': '{ "project": "site" }' })
  await place.addProject('site')
  const old = await place.publish('site', '1')
  const live = await place.publish('site', '2')
  const log = await place.run(`logs ${live.id} --files`)
  assert.match(log.stdout, /^Status +live$/m)
  assert.match(log.stdout, /A deployment went live/)
  assert.match(log.stdout, /^\/index\.html +1 B$/m)
  assert.match((await place.run('logs')).stdout, /A project was created/)
  assert.equal(JSON.parse((await place.run(`logs ${old.id} --json`)).stdout).id, old.id)

  assert.equal((await place.run(`deployments delete ${old.id}`)).exitCode, 2, 'nobody can answer')
  assert.equal((await place.run(`deployments delete ${old.id} --yes`)).exitCode, 0)
  assert.equal((await place.client.listDeployments({ params: { project: 'site' } })).items.length, 1)
  const refused = await place.run(`deployments delete ${live.id} --yes`)
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /live/)
})

test('the log of a deployment has its events, however much has happened since', async () => {
  await using place = await workplace({ 'masthead.json': '{ "project": "site" }' })
  await place.addProject('site')
  const asked = await place.publish('site', '2')
  const others = [await place.publish('site', '3'), await place.publish('site', '4')]
  for (let n = 0; n < 100; n++) {
    const deployment = others[n % 2]?.id ?? assert.fail()
    await place.client.activateDeployment({ params: { project: 'site', deployment } })
  }
  const { exitCode, stdout, stderr } = await place.run(`logs ${asked.id} --json`)
  assert.equal(exitCode, 0, stderr)
  const { events } = JSON.parse(stdout) as { events: { type: string; data: Record<string, unknown> }[] }
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.deploymentId]),
    ['deployment.activated', 'deployment.ready'].map((type) => [type, asked.id]),
  )
  // What happened before the deployment is of no interest.
  place.proxy.requests.length = 0
  const newest = await place.publish('site', '5')
  const { stdout: log } = await place.run(`logs ${newest.id} --json`)
  assert.equal(JSON.parse(log).events.length, 2)
  assert.equal(place.proxy.count('listEvents'), 1)
})

test('link writes masthead.json for a project that exists, and creates none', async () => {
  await using place = await workplace()
  await place.addProject('site')
  assert.equal((await place.run('link stie')).exitCode, 1)
  assert.equal(place.proxy.count('createProject'), 0)
  assert.equal((await place.run('link site --folder dist')).exitCode, 0)
  const file = JSON.parse(await readFile(join(place.path, 'masthead.json'), 'utf8'))
  assert.deepEqual(file, { project: 'site', folder: 'dist', server: place.proxy.url })
})

test('what was deleted is reported as deleted, also if the first answer was lost', async () => {
  await using place = await createWorkplace(server())
  await place.addProject('site')
  await place.publish('site')
  await place.addDomain('www.acme.localhost')
  place.proxy.cut.push('removeDomain', 'deleteProject')
  const domain = await place.run('domains remove www.acme.localhost --project site --yes')
  assert.equal(domain.exitCode, 0, domain.stderr)
  assert.match(domain.stderr, /Removed www\.acme\.localhost\./)
  const project = await place.run('projects delete site --yes')
  assert.equal(project.exitCode, 0, project.stderr)
  assert.match(project.stderr, /Deleted site/)
  assert.deepEqual(place.proxy.cut, [])
  assert.deepEqual((await place.client.listProjects()).items, [])
})
