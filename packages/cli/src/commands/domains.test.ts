import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problems } from '@masthead/contract/problems.ts'
import { noTerminal } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, workplaceWithSite } from '../../test/workplace.ts'

const server = serverForFile()
const workplace = () => createWorkplace(server())
const siteWorkplace = () => workplaceWithSite(server())

const own = 'site.masthead.localhost'
const target = '[a-z0-9]{10}\\.cname\\.masthead\\.localhost'

test('add shows the record to set, where it belongs and what comes next', async () => {
  await using place = await siteWorkplace()
  const { exitCode, stdout, stderr } = await place.run('domains add www.acme.com')
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /^Added www\.acme\.com to site\. Set this record in the DNS of acme\.com:\n\n/)
  assert.match(stdout, new RegExp(`^ {2}Type +Name +Value +TTL\n {2}CNAME +www +${target} +3600$`, 'm'))
  assert.match(stdout, /masthead domains verify www\.acme\.com\n$/)
  assert.doesNotMatch(stdout, /ANAME|masthead lab/)
})

test('add of an apex shows what to set without ALIAS, and of a name under .localhost the line for the lab', async () => {
  await using place = await siteWorkplace()
  const { stdout } = await place.run('domains add acme.localhost')
  assert.match(stdout, /Set them there:\n/)
  assert.match(stdout, /neither ALIAS nor ANAME, set this instead:\n {2}A {2}@ {2}127\.0\.0\.1 {2}3600\n/)
  assert.match(stdout, new RegExp(`^  masthead lab set acme\\.localhost ALIAS ${target}$`, 'm'))
})

test('a domain that is moved keeps its state, and nothing has to be set', async () => {
  await using place = await siteWorkplace()
  await place.addProject('other')
  await place.publish('other')
  await place.goLive(await place.addDomain('www.acme.localhost', 'other'), 'other')
  const { stdout } = await place.run('domains add www.acme.localhost --move')
  const url = server().host('www.acme.localhost')
  assert.equal(stdout, `Added www.acme.localhost to site. Status: Live. Served at ${url}\n`)
  const { items } = await place.client.listDomains({ params: { project: 'other' } })
  assert.deepEqual(items, [])
})

test('a plan without domains is told with what the next one has and where to get it', async () => {
  const free = await server().newAccount('free')
  await using place = await createWorkplace(server(), {}, free)
  await place.addProject('free-site')
  await place.publish('free-site')
  const { exitCode, stderr } = await place.run('domains add www.acme.com --project free-site')
  assert.equal(exitCode, 3)
  const [refusal = '', ...advice] = stderr.trim().split('\n')
  assert.match(refusal, /Pro.*Free/)
  assert.deepEqual(advice, [
    'Pro has 20 custom domains per project, 300 requests per minute and 10,000 per day.',
    `Change to Pro at ${server().origin}/accounts/${free.id}/plan`,
  ])
})

test('a domain that cannot be added comes with the command that helps', async () => {
  await using place = await siteWorkplace()
  const fixOf = async (command: string) =>
    /`masthead [a-z ]+|--move/.exec((await place.run(command)).stderr)?.[0]
  await place.addProject('empty')
  await place.addDomain('www.acme.com')
  await place.addProject('other')
  await place.publish('other')
  await place.addDomain('other.acme.com', 'other')
  assert.equal(await fixOf('domains add new.acme.com --project empty'), '`masthead deploy ')
  assert.equal(await fixOf('domains add www.acme.com'), '`masthead domains show ')
  assert.equal(await fixOf('domains add other.acme.com'), '--move')
})

test('the list tells the state of each name and what is waited for', async () => {
  await using place = await siteWorkplace()
  assert.match((await place.run('domains')).stderr, /no custom domains yet\. Add one: masthead domains add/)
  await place.goLive(await place.addDomain('live.acme.localhost'))
  await place.client.setLabRecord({
    params: { name: 'www.acme.localhost', type: 'A' },
    body: { values: ['203.0.113.9'] },
  })
  await place.addDomain('www.acme.localhost')
  await place.client.verifyDomain({ params: { project: 'site', hostname: 'www.acme.localhost' } })
  const { stdout } = await place.run('domains')
  assert.match(stdout, /^live\.acme\.localhost +Live +Served at http:\/\/live\.acme\.localhost:\d+\n/m)
  assert.match(
    stdout,
    /^www\.acme\.localhost +Waiting for DNS +An A or AAAA record is in the way; checking until /m,
  )
  assert.deepEqual(
    JSON.parse((await place.run('domains list --json')).stdout).map(
      (domain: { state: string }) => domain.state,
    ),
    ['live', 'pending'],
  )
})

test('names in other scripts are listed with the form that DNS has', async () => {
  await using place = await siteWorkplace()
  await place.addDomain('bücher.example')
  assert.match((await place.run('domains')).stdout, /^bücher\.example \(xn--bcher-kva\.example\) {2}/)
})

test('commands that are shown are about the project that was given', async () => {
  await using place = await workplace()
  await place.addProject('site')
  await place.publish('site')
  const given = '--project site'
  assert.match(
    (await place.run(`domains ${given}`)).stderr,
    /: masthead domains add www\.acme\.com --project site\n$/,
  )
  const added = await place.run(`domains add www.acme.com ${given}`)
  assert.match(added.stdout, /masthead domains verify www\.acme\.com --project site\n$/)
  const refused = await place.run(`domains primary new.acme.com ${given}`)
  assert.match(refused.stderr, /\n {2}masthead domains add new\.acme\.com --project site\n$/)
})

test('where the project is missing, its names are not offered', async () => {
  await using place = await workplace()
  const missing = await place.run('domains --project gone')
  assert.equal(
    missing.stderr,
    'There is no project gone in this account.\nRun `masthead projects` to list your projects.\n',
  )
})

test('what the sentence says already is not said again', async () => {
  await using place = await siteWorkplace()
  const invalid = (await place.run('domains add com')).stderr.split('\n')
  assert.match(invalid[0] ?? '', /^"com" is a single label/)
  assert.equal(invalid[1], problems.hostname_invalid.fix)
  const long = await place.run(`domains add ${'a'.repeat(3_000)}.com`)
  assert.match(long.stderr, /^hostname must have at most 1000 characters\.\n$/)
})

test('the way without ALIAS is shown only as long as the name does not lead here', async () => {
  await using place = await siteWorkplace()
  const params = { project: 'site', hostname: 'acme.localhost' }
  const { records } = await place.addDomain('acme.localhost')
  const [alias] = records
  assert.equal(alias?.type, 'ALIAS')
  assert.match((await place.run('domains show acme.localhost')).stdout, /neither ALIAS nor ANAME/)
  await place.client.setLabRecord({
    params: { name: 'acme.localhost', type: 'ALIAS' },
    body: { values: [alias.value] },
  })
  const checked = await place.client.verifyDomain({ params })
  assert.equal(checked.records.find(({ purpose }) => purpose === 'routing')?.status, 'ok')
  assert.doesNotMatch((await place.run('domains show acme.localhost')).stdout, /ANAME/)
})

test('remove says what ends and asks; --yes removes and passes the warnings on', {
  skip: noTerminal,
}, async () => {
  await using place = await siteWorkplace()
  await place.goLive(await place.addDomain('www.acme.localhost'))
  await place.addDomain('acme.localhost')
  const redirects = [{ from: 'acme.localhost', to: 'www.acme.localhost', status: 301 as const }]
  const domains = { primary: 'www.acme.localhost', redirects }
  await place.client.putDomainConfig({ params: { project: 'site' }, body: { domains } })
  const unasked = await place.run('domains remove www.acme.localhost')
  assert.equal(unasked.exitCode, 2)
  assert.match(unasked.stderr, /Add --yes to continue without asking\./)
  const refused = await place.atTerminal('domains remove www.acme.localhost', { input: 'n\n' })
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stdout, /stops being served immediately\..*The default subdomain will replace it\./s)
  assert.match(refused.stdout, /acme\.localhost will no longer redirect to it\./)
  assert.equal(place.proxy.count('removeDomain'), 0)
  const removed = await place.run('domains remove www.acme.localhost --yes')
  assert.equal(removed.exitCode, 0)
  assert.match(
    removed.stderr,
    /^Removed www\.acme\.localhost\.\nLinks to www\.acme\.localhost .*\n.*primary domain.*\n.*acme\.localhost.*\n$/,
  )
})

test('the timeline counts checks with the same result', async () => {
  await using place = await siteWorkplace()
  await place.client.setLabRecord({
    params: { name: 'www.acme.localhost', type: 'A' },
    body: { values: ['203.0.113.9'] },
  })
  await place.addDomain('www.acme.localhost')
  const params = { project: 'site', hostname: 'www.acme.localhost' }
  for (let times = 0; times < 3; times++) await place.client.verifyDomain({ params })
  const { stdout } = await place.run('domains timeline www.acme.localhost')
  assert.match(
    stdout,
    /DNS was checked: An A or AAAA record is in the way \(\d times since \d\d:\d\d\) +First key\n/,
  )
  assert.match(stdout, /The domain was added +First key\n$/)
})

test('check tells by its exit code whether something is in the way, and needs no project', async () => {
  await using place = await workplace()
  const free = await place.run('domains check www.acme.localhost')
  assert.equal(free.exitCode, 0, free.stderr)
  assert.match(free.stdout, /Nothing blocks it\. Add it: masthead domains add www\.acme\.localhost\n$/)
  await place.client.setLabRecord({
    params: { name: 'www.acme.localhost', type: 'A' },
    body: { values: ['203.0.113.9'] },
  })
  const taken = await place.run('domains check www.acme.localhost --json')
  assert.equal(taken.exitCode, 1)
  assert.equal(JSON.parse(taken.stdout).outcome, 'wrong')
  assert.deepEqual(place.proxy.called, ['checkDomain', 'checkDomain'])
})

test('check of a domain that was added tells what verify tells, and does not ask to add it', async () => {
  await using place = await siteWorkplace()
  const { records } = await place.addDomain('www.acme.localhost')
  const verify = await place.run('domains verify www.acme.localhost --no-wait')
  const missing = await place.run('domains check www.acme.localhost')
  assert.deepEqual([verify.exitCode, missing.exitCode], [1, 1])
  assert.match(missing.stdout, /\+ add +CNAME +www +\S+\.cname\.masthead\.localhost/)
  assert.match(
    missing.stdout,
    /It is in the project site\. Its status: masthead domains show .* --project site\n$/,
  )
  assert.match(missing.stderr, /The DNS of www\.acme\.localhost is not correct\./)
  for (const { fqdn, type, value } of records) {
    await place.client.setLabRecord({ params: { name: fqdn, type }, body: { values: [value] } })
  }
  const right = await place.run('domains check www.acme.localhost')
  assert.equal(right.exitCode, 0, right.stderr)
  assert.doesNotMatch(right.stdout, /domains add/)
})

test('wrong words after domains are explained, and nothing is asked of the server', async () => {
  await using place = await siteWorkplace()
  const fixes = []
  for (const words of [
    'verfy www.acme.com',
    'www.acme.com',
    'add',
    'add ..',
    'show a.com b.com',
    'add a.com --status 301',
    'redirect a.com',
    'redirect a.com b.com --status 303',
  ]) {
    const { exitCode, stderr } = await place.run(`domains ${words}`)
    assert.equal(exitCode, 2, words)
    fixes.push(stderr.trim().split('\n')[1])
  }
  assert.deepEqual(fixes, [
    'Did you mean `masthead domains verify`?',
    'Did you mean `masthead domains add www.acme.com`, or `masthead domains show www.acme.com`?',
    'Use `masthead domains add NAME`.',
    'Use a domain such as www.acme.com.',
    'Use `masthead domains show NAME`.',
    'See `masthead domains --help`.',
    'Use `masthead domains redirect FROM TO`, or add --remove to remove the redirect from FROM.',
    'Use one of 301, 302, 307, 308.',
  ])
  assert.deepEqual(place.proxy.called, [])
})

test('primary and redirect change one thing, show it, and leave the rest', async () => {
  await using place = await siteWorkplace()
  for (const name of ['acme.com', 'www.acme.com']) await place.addDomain(name)
  const first = await place.run('domains redirect https://ACME.com/ www.acme.com --status 308')
  assert.equal(first.exitCode, 0, first.stderr)
  assert.match(
    first.stderr,
    /^Domains of site:\n {2}\+ {2}redirect {2}acme\.com → www\.acme\.com \(308\)\nApplied\.\n$/,
  )
  assert.match((await place.run('domains redirect acme.com www.acme.com')).stderr, /^Nothing to change\.\n$/)
  assert.equal((await place.run('domains primary www.acme.com')).exitCode, 0)
  assert.match(
    (await place.run('domains config')).stdout,
    /^primary +www\.acme\.com\nredirect +acme\.com → www\.acme\.com +308\n$/,
  )
  assert.equal((await place.run('domains redirect acme.com --remove')).exitCode, 0)
  const { domains } = await place.client.getDomainConfig({ params: { project: 'site' } })
  assert.deepEqual(domains, { primary: 'www.acme.com', redirects: [] })
})

test('a change that somebody else made at the same moment is kept beside ours', async () => {
  await using place = await siteWorkplace()
  for (const name of ['acme.com', 'www.acme.com', 'old.acme.com']) await place.addDomain(name)
  const { proxy, client } = place
  const params = { project: 'site' }
  const theirs = { from: 'old.acme.com', to: 'www.acme.com', status: 302 as const }
  proxy.after.getDomainConfig = async () => {
    if (proxy.count('getDomainConfig') > 1) return
    await client.putDomainConfig({ params, body: { domains: { primary: own, redirects: [theirs] } } })
  }
  const { exitCode, stderr } = await place.run('domains redirect acme.com www.acme.com')
  assert.equal(exitCode, 0, stderr)
  assert.match(
    stderr,
    /\nSomeone else changed the domains at the same time\. .*:\n.*\n {2}\+ .*\nApplied\.\n$/,
  )
  const { domains } = await client.getDomainConfig({ params })
  assert.deepEqual(
    new Set(domains.redirects),
    new Set([theirs, { from: 'acme.com', to: 'www.acme.com', status: 301 }]),
  )
})

test('a change that loses against others again and again is given up, and nothing is changed', async () => {
  await using place = await siteWorkplace()
  for (const name of ['www.acme.com', 'old.acme.com']) await place.addDomain(name)
  const { proxy, client } = place
  const params = { project: 'site' }
  proxy.before.putDomainConfig = async () => {
    const isOdd = proxy.count('putDomainConfig') % 2 === 1
    const redirects = isOdd ? [{ from: 'old.acme.com', to: own, status: 302 as const }] : []
    await client.putDomainConfig({ params, body: { domains: { primary: own, redirects } } })
  }
  const { exitCode, stderr } = await place.run('domains primary www.acme.com')
  assert.equal(exitCode, 1)
  assert.match(stderr, /\n[^\n]*the redirects [^\n]*\n[^\n]*Run the command again\.\n$/)
  assert.equal(proxy.count('putDomainConfig'), 4)
  assert.equal((await client.getDomainConfig({ params })).domains.primary, own)
})

test('a name that is not of the project is refused with the command that adds it', async () => {
  await using place = await siteWorkplace()
  const { exitCode, stderr } = await place.run('domains primary new.acme.com')
  assert.equal(exitCode, 1)
  assert.match(stderr, /domains\.primary: new\.acme\.com is not a domain of this project\n/)
  assert.match(stderr, /\n {2}masthead domains add new\.acme\.com\n$/)
})
