import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
const own = 'site.masthead.localhost'

const yaml = `project: site
folder: dist
domains:
  primary: www.acme.com
  redirects:
    - from: Acme.com
      to: www.acme.com
`

async function siteWithDomains(...names: string[]) {
  const place = await createWorkplace(server(), { 'masthead.yaml': yaml, 'dist/index.html': 'hi' })
  await place.addProject('site')
  await place.publish('site')
  for (const name of names) await place.addDomain(name)
  return place
}

test('deploy shows the difference and applies it, and is silent where there is none', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  const first = await place.run('deploy')
  assert.equal(first.exitCode, 0, first.stderr)
  assert.equal(first.stdout, `${server().site('site')}\n`)
  assert.deepEqual(first.stderr.split('\n').slice(-6), [
    'Domains of site:',
    `  -  primary   ${own}`,
    '  +  primary   www.acme.com',
    '  +  redirect  acme.com → www.acme.com (301)',
    'Applied.',
    '',
  ])
  const again = await place.run('deploy')
  assert.doesNotMatch(again.stderr, /Domains/)
  assert.equal(JSON.parse((await place.run('deploy --json')).stdout).domainsChanged, false)
  assert.equal(place.proxy.count('putDomainConfig'), 1)
})

test('the address is that of a served domain which the deploy itself made the primary one', async () => {
  await using place = await siteWithDomains()
  await place.goLive(await place.addDomain('www.acme.localhost'))
  await place.write('masthead.yaml', 'project: site\nfolder: dist\ndomains:\n  primary: www.acme.localhost\n')
  assert.equal((await place.run('deploy')).stdout, `${server().host('www.acme.localhost')}\n`)
})

test('a preview, --no-domains and another project leave the domains alone', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  await place.addProject('staging')
  assert.equal((await place.run('deploy --no-activate')).exitCode, 0)
  assert.equal((await place.run('deploy --no-domains')).exitCode, 0)
  const other = await place.run('deploy --project staging')
  assert.match(other.stderr, /The domains in masthead\.yaml belong to site and were not changed\.\n$/)
  assert.equal(place.proxy.count('getDomainConfig'), 0)
})

test('names that are not attached are told with file, line and the command that adds them; the site is published', async () => {
  await using place = await siteWithDomains('www.acme.com')
  const { exitCode, stdout, stderr } = await place.run('deploy')
  assert.equal(exitCode, 1)
  assert.equal(stdout, `${server().site('site')}\n`)
  const lines = stderr.split('\n').slice(-6)
  assert.match(lines.splice(1, 1)[0] ?? '', /^acme\.com is not a domain of this project/)
  assert.deepEqual(lines, [
    'site is published, but its domains were not changed.',
    'masthead.yaml line 6, domains.redirects.0.from: acme.com is not a domain of this project',
    'Add the missing domains first:',
    '  masthead domains add Acme.com',
    '',
  ])
  const { items } = await place.client.listDeployments({ params: { project: 'site' } })
  assert.deepEqual([items.length, items[0]?.active], [2, true])
})

test('a key that may publish but not change domains is told so, after the address', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  const { secret } = await place.client.createKey({ body: { name: 'ci', scopes: ['read', 'deploy'] } })
  const env = { ...place.signedIn, MASTHEAD_KEY: secret }
  const { exitCode, stdout, stderr } = await place.run('deploy --json', { env })
  assert.equal(exitCode, 3)
  assert.equal(JSON.parse(stdout).domainsChanged, false)
  assert.equal(JSON.parse(stderr).code, 'forbidden')
})

test('a mistake in the file is found before anything is published', async () => {
  await using place = await siteWithDomains('www.acme.com')
  await place.write('masthead.yaml', `${yaml}      status: 303\n`)
  const { exitCode, stderr } = await place.run('deploy')
  assert.equal(exitCode, 2)
  assert.equal(stderr, 'masthead.yaml line 8: status 303 is not allowed; give 301, 302, 307 or 308.\n')
  assert.deepEqual(place.proxy.called, [])
})
