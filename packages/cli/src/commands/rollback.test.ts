import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workplace } from '../../test/workplace.ts'

test('rollback serves the newest ready deployment that is older than the active one', async () => {
  await using place = await workplace({ 'masthead.json': '{ "project": "site" }' })
  const project = place.server.addProject('site')
  const oldest = place.server.addDeployment(project, 'ready')
  const older = place.server.addDeployment(project, 'ready')
  place.server.addDeployment(project, 'uploading')
  place.server.addDeployment(project, 'ready', true)
  place.server.addDeployment(project, 'ready')

  const { exitCode, stdout, stderr } = await place.run('rollback')
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, 'http://site.example\n')
  assert.equal(project.activeDeployment, older)

  await place.run('rollback')
  assert.equal(project.activeDeployment, oldest)

  const end = await place.run('rollback')
  assert.equal(end.exitCode, 1)
  assert.match(end.stderr, /There is no older deployment to go back to\./)
})

test('a deployment that is named is served', async () => {
  await using place = await workplace()
  const project = place.server.addProject('site')
  const wanted = place.server.addDeployment(project, 'ready')
  place.server.addDeployment(project, 'ready', true)
  const { stdout } = await place.run(`rollback ${wanted.id} --project site --json`)
  assert.deepEqual(JSON.parse(stdout), { project: 'site', deployment: wanted.id, url: 'http://site.example' })
  assert.equal(project.activeDeployment, wanted)
})

test('rollback of a project with nothing published says so', async () => {
  await using place = await workplace()
  place.server.addProject('site')
  const { exitCode, stderr } = await place.run('rollback --project site')
  assert.equal(exitCode, 1)
  assert.match(stderr, /Nothing is published yet\.\nPublish with `masthead deploy`\./)
})

test('a word that is no deployment, and no project at all, are wrong usage', async () => {
  await using place = await workplace()
  assert.equal((await place.run('rollback yesterday --project site')).exitCode, 2)
  const { exitCode, stderr } = await place.run('rollback')
  assert.equal(exitCode, 2)
  assert.match(stderr, /No project is named/)
})
