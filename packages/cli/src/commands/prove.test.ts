import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, workplaceWithSite } from '../../test/workplace.ts'

const server = serverForFile()

test('a domain is proved with one record, and then belongs to the account alone', async () => {
  await using place = await workplaceWithSite(server())
  const none = await place.run('domains proofs')
  assert.match(none.stderr, /No domain is proved .* masthead domains prove acme\.com/)
  const first = await place.run('domains prove proved.localhost')
  assert.equal(first.exitCode, 0, first.stderr)
  assert.match(first.stdout, /^proved\.localhost {2}Waiting for DNS\n/)
  const [, token = ''] = /TXT +_masthead-challenge +(\S+) +3600/.exec(first.stdout) ?? []
  assert.ok(token.length > 20, first.stdout)

  const early = await place.run('domains prove PROVED.localhost.')
  assert.equal(early.exitCode, 1)
  assert.match(
    early.stdout,
    new RegExp(`masthead lab set _masthead-challenge\\.proved\\.localhost TXT ${token}`),
  )
  assert.match(early.stderr, /proved\.localhost is not proved yet\./)

  await place.run(`lab set _masthead-challenge.proved.localhost TXT ${token}`)
  const proved = await place.run('domains prove proved.localhost')
  assert.equal(proved.exitCode, 0, `${proved.stderr}${proved.stdout}`)
  assert.match(proved.stdout, /^proved\.localhost {2}Proved\n/)
  assert.doesNotMatch(proved.stdout, new RegExp(token))
  const list = await place.run('domains proofs --json')
  assert.deepEqual(
    JSON.parse(list.stdout).map(({ domain, state }: { domain: string; state: string }) => [domain, state]),
    [['proved.localhost', 'proved']],
  )

  const stranger = await createWorkplace(server(), {}, await server().newAccount('pro'))
  await using other = stranger
  await other.addProject('strange')
  await other.publish('strange')
  const refused = await other.run('domains add www.proved.localhost --project strange')
  assert.match(
    refused.stderr,
    /Another account has proved proved\.localhost, so only it can add www\.proved\.localhost\./,
  )

  const added = await place.run('domains add proved.localhost')
  assert.doesNotMatch(added.stdout, /TXT/)
  const removed = await place.run('domains prove proved.localhost --remove --yes')
  assert.equal(removed.exitCode, 0, removed.stderr)
  assert.match(removed.stderr, /Removed the proof of proved\.localhost/)
  const again = await place.run('domains prove proved.localhost --remove --yes')
  assert.notEqual(again.exitCode, 0)
})
