import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { workplace } from '../../test/workplace.ts'

test('init creates the project and writes masthead.json', async () => {
  await using place = await workplace({ 'dist/index.html': 'hi' })
  const { exitCode, stdout, stderr } = await place.run('init my-site --folder ./dist --json')
  assert.equal(exitCode, 0, stderr)
  const file = { project: 'my-site', folder: 'dist', server: place.server.url }
  assert.deepEqual(JSON.parse(await readFile(join(place.path, 'masthead.json'), 'utf8')), file)
  assert.deepEqual(JSON.parse(stdout), { ...file, created: true, url: 'http://my-site.example' })
  assert.equal((await place.run('deploy')).stdout, 'http://my-site.example\n')
})

test('init links a project that exists already', async () => {
  await using place = await workplace()
  place.server.addProject('my-site')
  const { stderr } = await place.run('init my-site')
  assert.match(stderr, /Found the project my-site, and wrote masthead\.json\./)
  assert.equal(place.server.count('createProject'), 0)
})

test('a masthead.json that is there is changed only when that is wanted', { skip: noTerminal }, async () => {
  const before = '{ "project": "old", "folder": "dist" }'
  await using place = await workplace({ 'masthead.json': before })
  const read = () => readFile(join(place.path, 'masthead.json'), 'utf8')

  const unasked = await place.run('init new-site')
  assert.equal(unasked.exitCode, 2)
  assert.match(unasked.stderr, /Add --yes to go on without asking\./)
  const refused = await place.atTerminal('init new-site', { input: 'n\n' })
  assert.equal(refused.exitCode, 1, refused.stdout)
  assert.equal(await read(), before)

  assert.equal((await place.atTerminal('init new-site', { input: 'y\n' })).exitCode, 0)
  assert.equal(JSON.parse(await read()).project, 'new-site')
  assert.equal((await place.run('init newer-site --yes')).exitCode, 0)
  assert.equal(JSON.parse(await read()).folder, 'dist')
})

test('at a terminal the name is asked for', { skip: noTerminal }, async () => {
  await using place = await workplace()
  const { exitCode, stdout } = await place.atTerminal('init', { input: 'typed-name\n' })
  assert.equal(exitCode, 0, stdout)
  assert.match(stdout, /Name of the project\? \(masthead-cli-/)
  assert.ok(place.server.projects.has('typed-name'))
})

test('init keeps what else a project file says, comments of YAML included', async () => {
  await using place = await workplace({
    'masthead.yaml': '# ours\nproject: old\ndomains:\n  primary: a.com # soon\n',
  })
  assert.equal((await place.run('init new-site --yes')).exitCode, 0)
  assert.equal(
    await readFile(join(place.path, 'masthead.yaml'), 'utf8'),
    `# ours\nproject: new-site\ndomains:\n  primary: a.com # soon\nfolder: .\nserver: ${place.server.url}\n`,
  )
  await using other = await workplace({
    'masthead.json': '{ "$schema": "x", "domains": { "primary": "a.com" } }',
  })
  assert.equal((await other.run('init new-site --yes')).exitCode, 0)
  const { $schema, domains } = JSON.parse(await readFile(join(other.path, 'masthead.json'), 'utf8'))
  assert.deepEqual([$schema, domains], ['x', { primary: 'a.com' }])
})
