import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../test/test-server.ts'
import { workplaceWithSite } from '../test/workplace.ts'

const server = serverForFile()

test('mistakes of a beginner are answered once, and with what helps', async () => {
  await using place = await workplaceWithSite(server())
  const ids = 'Run `masthead deployments --project site` to list the'
  const slugs = '`masthead projects` lists yours.'
  for (const [line, ...said] of [
    ['rollback yesterday -p site', '"yesterday" is not a deployment ID.', `${ids} IDs.`],
    ['logs yesterday -p site', '"yesterday" is not a deployment ID.', `${ids} IDs.`],
    ['deployments delete yesterday -p site', '"yesterday" is not a deployment ID.', `${ids} IDs.`],
    ['logs dpl_zzz -p site', '“dpl_zzz” is not a valid deployment.', `${ids} deployments of the project.`],
    [
      'projects create My_Site',
      '"My_Site" is not a project: a slug can only contain lower-case letters, digits and hyphens.',
      `Use a slug such as my-site. ${slugs}`,
    ],
    ['open -p !', null, 'Run `masthead projects` to list yours.'],
    [
      'protect on -p site',
      'This site has no password yet.',
      'Set MASTHEAD_SITE_PASSWORD, or run the command at a terminal, where it asks.',
    ],
    ['webhooks add acme', 'The URL must be a URL of at most 2000 characters.'],
  ] as const) {
    const { exitCode, stderr } = await place.run(line)
    assert.notEqual(exitCode, 0, line)
    const lines = stderr.trimEnd().split('\n')
    assert.deepEqual(said[0] === null ? [null, ...lines.slice(1)] : lines, said, line)
  }
})

test('logout says that the key in the environment stays', async () => {
  await using place = await workplaceWithSite(server())
  const note = 'MASTHEAD_KEY is still set, and commands go on using it.\n'
  assert.equal((await place.run('logout')).stderr, note)
  assert.equal((await place.run('logout', { env: place.signedOut })).stderr, '')
})
