import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../../../test/run-masthead.ts'
import { serverForFile } from '../../../test/test-server.ts'
import { createWorkplace } from '../../../test/workplace.ts'

const server = serverForFile()
const workplace = () => createWorkplace(server())

/** A person who accepted an invitation, as the link does it in the browser. */
async function join(url: string): Promise<{ cookie: string; origin: string }> {
  const body = { token: new URL(url).hash.slice(1), name: 'Grace', password: 'a long password' }
  const answer = await fetch(`${server().origin}/v1/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server().origin },
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 201, await answer.text())
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  return { cookie: cookie.join('; '), origin: server().origin }
}

test('a person is invited, joins, changes roles and is removed', { skip: noTerminal }, async () => {
  await using place = await workplace()
  const invited = await place.run('invite Grace@Example.com --role viewer')
  assert.equal(invited.exitCode, 0, invited.stderr)
  assert.match(invited.stderr, /^Send this link to grace@example\.com\. It is shown only once/)
  assert.match((await place.run('invite')).stdout, /^grace@example\.com {2}viewer {2}by /m)
  await join(invited.stdout.trim())
  assert.match((await place.run('members')).stdout, /^grace@example\.com {2}Grace {2}viewer {2}since /m)

  const changed = await place.run('members role grace@example.com developer')
  assert.deepEqual([changed.exitCode, changed.stderr], [0, 'grace@example.com is now developer.\n'])
  assert.equal(JSON.parse((await place.run('members --json')).stdout)[0].role, 'developer')

  assert.equal((await place.run('members remove grace@example.com')).exitCode, 2, 'nobody can answer')
  const kept = await place.atTerminal('members remove grace@example.com', { input: 'n\n' })
  assert.equal(kept.exitCode, 1)
  assert.equal((await place.run('members remove grace@example.com --yes')).exitCode, 0)
  assert.equal((await place.run('members')).stdout, '')
  const gone = await place.run('members role grace@example.com viewer')
  assert.deepEqual([gone.exitCode, gone.stderr.split('\n')[0]], [1, 'grace@example.com is not a member.'])
})

test('a member is found by an address at an international domain, however it is spelled', async () => {
  await using place = await workplace()
  await join((await place.run('invite Grace@Müller.example')).stdout.trim())
  for (const email of ['grace@MÜLLER.example', 'grace@xn--mller-kva.example']) {
    assert.equal((await place.run(`members role ${email} viewer --yes`)).exitCode, 0, email)
  }
  assert.equal((await place.run('members remove grace@müller.example --yes')).exitCode, 0)
  assert.equal((await place.run('members')).stdout, '')
})

test('a removal says what ended with it, and --keep-keys keeps it', async () => {
  await using place = await workplace()
  const addOwner = async (email: string) =>
    join((await place.run(`invite ${email} --role owner`)).stdout.trim())
  const addWebhook = async (session: Record<string, string>) => {
    const headers = { ...session, 'content-type': 'application/json' }
    const body = JSON.stringify({ url: 'https://hook.example/' })
    const created = await fetch(`${server().origin}/v1/webhooks`, { method: 'POST', headers, body })
    assert.equal(created.status, 201, await created.text())
  }
  await addOwner('stays@example.com')
  await addWebhook(await addOwner('demoted@example.com'))
  await addWebhook(await addOwner('removed@example.com'))
  const kept = await place.run('members role demoted@example.com viewer --keep-keys --yes')
  assert.equal(kept.stderr, 'demoted@example.com is now viewer.\n')
  const removed = await place.run('members remove removed@example.com --yes')
  assert.equal(removed.stderr, 'Removed removed@example.com, and 1 webhook removed.\n')
  assert.equal(JSON.parse((await place.run('webhooks --json')).stdout).length, 1)
})

test('somebody who gets a lower role is asked about first, and nothing ends without the answer', {
  skip: noTerminal,
}, async () => {
  await using place = await workplace()
  await join((await place.run('invite lea@example.com --role owner')).stdout.trim())
  await join((await place.run('invite mary@example.com --role owner')).stdout.trim())
  const roleOfMary = async () => {
    const { items } = await place.client.listMembers()
    return items.find(({ person }) => person.email === 'mary@example.com')?.role
  }
  for (const [role, lost] of [
    ['developer', 'manage this account'],
    ['viewer', 'publish or change domains'],
  ] as const) {
    const before = await roleOfMary()
    const line = `members role mary@example.com ${role}`
    const unasked = await place.run(line)
    assert.equal(unasked.exitCode, 2, unasked.stderr)
    assert.match(unasked.stderr, /Add --yes/)
    const declined = await place.atTerminal(line, { input: 'n\n' })
    assert.equal(declined.exitCode, 1)
    assert.ok(declined.stdout.includes(`will no longer be able to ${lost}`), declined.stdout)
    assert.match(declined.stdout, /webhooks they added are removed.*The role was not changed\./s)
    assert.equal(await roleOfMary(), before)
    const keeping = await place.atTerminal(`${line} --keep-keys`, { input: 'n\n' })
    assert.doesNotMatch(keeping.stdout, /are removed/)
    assert.equal((await place.atTerminal(line, { input: 'y\n' })).exitCode, 0)
    assert.equal(await roleOfMary(), role)
  }
  // Nothing ends with the same role or a higher one.
  for (const role of ['viewer', 'developer', 'owner']) {
    assert.equal((await place.run(`members role mary@example.com ${role}`)).exitCode, 0)
  }
  assert.equal((await place.run('members role mary@example.com viewer --yes')).exitCode, 0)
})

test('an invitation can be revoked by its address', async () => {
  await using place = await workplace()
  await place.run('invite alan@example.com')
  assert.equal((await place.run('invite revoke alan@example.com')).exitCode, 0)
  assert.equal((await place.run('invite')).stdout, '')
  assert.equal((await place.run('invite revoke alan@example.com')).exitCode, 1)
  await place.run('invite alan@müller.example')
  assert.equal((await place.run('invite revoke alan@Müller.example')).exitCode, 0)
  assert.equal((await place.run('invite')).stdout, '')
  for (const wrong of ['invite a@b.example c@d.example', 'invite a@b.example --role king', 'invite revoke']) {
    assert.equal((await place.run(wrong)).exitCode, 2, wrong)
  }
})

test('the plan is shown with its limits, and changed after a question', async () => {
  await using place = await workplace()
  const shown = await place.run('plan')
  assert.match(shown.stdout, /^Plan +Business$/m)
  assert.match(shown.stdout, /^Requests +1,000 per minute, 100,000 per day$/m)
  assert.equal((await place.run('plan set pro')).exitCode, 2)
  assert.match((await place.run('plan set pro --yes')).stdout, /^Plan +Pro$/m)
  await place.client.changePlan({ body: { plan: 'business' } })
  for (const wrong of ['plan set enterprise', 'plan set', 'plan pro', 'plan set gold']) {
    assert.equal((await place.run(wrong)).exitCode, 2, wrong)
  }
})

test('env prints what a job needs, with a key that can only publish', async () => {
  await using place = await workplace()
  const without = await place.run('env', { env: place.signedOut })
  assert.deepEqual([without.exitCode, without.stdout], [0, `MASTHEAD_SERVER=${place.proxy.url}\n`])
  assert.match(without.stderr, /--create-key/)
  const { stdout } = await place.run('env --create-key ci --json')
  const env = JSON.parse(stdout) as Record<string, string>
  assert.deepEqual(Object.keys(env), ['MASTHEAD_SERVER', 'MASTHEAD_KEY'])
  await place.write('dist/index.html', 'from CI')
  assert.equal((await place.run('deploy dist', { env })).exitCode, 0)
  assert.equal((await place.run('keys', { env })).exitCode, 3)
})
