import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace } from '../../test/workplace.ts'

const yaml = `project: site
folder: dist
domains:
  primary: www.acme.com
  redirects:
    - from: Acme.com
      to: www.acme.com
`

async function siteWithDomains(...names: string[]) {
  const place = await workplace({ 'masthead.yaml': yaml, 'dist/index.html': 'hi' })
  place.server.addProject('site')
  for (const name of names) place.domains.add(name)
  return place
}

test('deploy shows the difference and applies it, and is silent where there is none', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  const first = await place.run('deploy')
  assert.equal(first.exitCode, 0, first.stderr)
  assert.equal(first.stdout, 'http://site.example\n')
  assert.deepEqual(first.stderr.split('\n').slice(-6), [
    'Domains of site:',
    '  -  primary   site.example',
    '  +  primary   www.acme.com',
    '  +  redirect  acme.com → www.acme.com (301)',
    'Applied.',
    '',
  ])
  const again = await place.run('deploy')
  assert.doesNotMatch(again.stderr, /Domains/)
  assert.equal(JSON.parse((await place.run('deploy --json')).stdout).domainsChanged, false)
  assert.equal(place.server.count('putDomainConfig'), 1)
})

test('the address is that of a served domain which the deploy itself made the primary one', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  const { server } = place
  const isSet = () => server.count('putDomainConfig') > 0
  server.instead.getProject = (call) => {
    const project = server.projectOf(call)
    return { ...project, primaryUrl: isSet() ? 'https://www.acme.com' : project.url }
  }
  assert.equal((await place.run('deploy')).stdout, 'https://www.acme.com\n')
})

test('a preview, --no-domains and another project leave the domains alone', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  place.server.addProject('staging')
  assert.equal((await place.run('deploy --no-activate')).exitCode, 0)
  assert.equal((await place.run('deploy --no-domains')).exitCode, 0)
  const other = await place.run('deploy --project staging')
  assert.match(other.stderr, /The domains in masthead\.yaml are those of site, and were left alone\.\n$/)
  assert.equal(place.server.count('getDomainConfig'), 0)
})

test('names that are not attached are told with file, line and the command that adds them; the site is published', async () => {
  await using place = await siteWithDomains('www.acme.com')
  const { exitCode, stdout, stderr } = await place.run('deploy')
  assert.equal(exitCode, 1)
  assert.equal(stdout, 'http://site.example\n')
  assert.deepEqual(stderr.split('\n').slice(-6), [
    'site is published, but its domains stay as they were.',
    'The domains cannot be so.',
    'masthead.yaml line 6, domains.redirects.0.from: Acme.com is not a domain of this project',
    'Add what is missing:',
    '  masthead domains add Acme.com',
    '',
  ])
  assert.equal(place.server.deployments[0]?.active, true)
})

test('a key that may publish but not change domains is told so, after the address', async () => {
  await using place = await siteWithDomains('www.acme.com', 'acme.com')
  place.server.instead.putDomainConfig = () => {
    throw new Refusal('forbidden', 'This key lacks the scope domains.')
  }
  const { exitCode, stdout, stderr } = await place.run('deploy --json')
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
  assert.deepEqual(place.server.asked, [])
})
