import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { rightCheck, target, wrongCheck } from '../../test/stand-in-domains.ts'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace, workplaceWithSite } from '../../test/workplace.ts'

test('add shows the record to set, where it belongs and what comes next', async () => {
  await using place = await workplaceWithSite()
  const { exitCode, stdout, stderr } = await place.run('domains add www.acme.com')
  assert.equal(exitCode, 0, stderr)
  assert.match(
    stdout,
    /^www\.acme\.com is a domain of site now\. Set this record in the DNS of acme\.com:\n\n/,
  )
  assert.match(
    stdout,
    /^ {2}Type +Name +Value +TTL\n {2}CNAME +www +k3v9x2m1qp\.cname\.masthead\.localhost +3600$/m,
  )
  assert.match(stdout, /masthead domains verify www\.acme\.com\n$/)
  assert.doesNotMatch(stdout, /ANAME|masthead lab/)
})

test('add of an apex shows what to set without ALIAS, and of a name under .localhost the line for the lab', async () => {
  await using place = await workplaceWithSite()
  const { stdout } = await place.run('domains add acme.localhost')
  assert.match(stdout, /Set it there:\n/)
  assert.match(stdout, /neither ALIAS nor ANAME, set instead:\n {2}A {2}@ {2}192\.0\.2\.7 {2}3600\n/)
  assert.match(stdout, new RegExp(`^  masthead lab set acme\\.localhost ALIAS ${target}$`, 'm'))
})

test('a domain that is moved keeps its state, and nothing has to be set', async () => {
  await using place = await workplaceWithSite()
  const sent: unknown[] = []
  place.server.instead.addDomain = ({ json }) => {
    sent.push(json)
    return place.domains.add('www.acme.com', { state: 'live', lastCheck: rightCheck })
  }
  const { stdout } = await place.run('domains add www.acme.com --move')
  assert.equal(
    stdout,
    'www.acme.com is a domain of site now, as it was: Live. Served at http://www.acme.com\n',
  )
  assert.deepEqual(sent, [{ hostname: 'www.acme.com', move: true }])
})

test('a plan without domains is told with what the next one has and where to get it', async () => {
  await using place = await workplaceWithSite()
  place.server.instead.addDomain = () => {
    const more = { requiredPlan: 'pro', upgradeUrl: 'http://localhost:8080/plan' }
    throw new Refusal('plan_required', 'Custom domains come with a paid plan.', more)
  }
  const { exitCode, stderr } = await place.run('domains add www.acme.com')
  assert.equal(exitCode, 3)
  assert.deepEqual(stderr.trim().split('\n'), [
    'Custom domains come with a paid plan.',
    'Pro has 20 custom domains a project, 300 requests a minute and 10,000 a day.',
    'Change to Pro at http://localhost:8080/plan',
  ])
})

test('what stands in the way of adding comes with the command that helps', async () => {
  await using place = await workplaceWithSite()
  const fixes = []
  for (const code of ['deployment_required', 'domain_exists', 'domain_on_other_project'] as const) {
    place.server.instead.addDomain = () => {
      throw new Refusal(code, 'No.')
    }
    fixes.push(/`masthead [a-z ]+|--move/.exec((await place.run('domains add www.acme.com')).stderr)?.[0])
  }
  assert.deepEqual(fixes, ['`masthead deploy', '`masthead domains show ', '--move'])
})

test('the list tells the state of each name and what is waited for', async () => {
  await using place = await workplaceWithSite()
  assert.match(
    (await place.run('domains')).stderr,
    /no domains of its own yet\. Add one: masthead domains add/,
  )
  place.domains.add('acme.com', { state: 'live', lastCheck: rightCheck })
  place.domains.add('www.acme.com', { lastCheck: wrongCheck })
  const { stdout } = await place.run('domains')
  assert.match(stdout, /^acme\.com +Live +Served at http:\/\/acme\.com\n/)
  assert.match(
    stdout,
    /^www\.acme\.com +Waiting for DNS +An A or AAAA record is in the way; looked for until /m,
  )
  assert.deepEqual(
    JSON.parse((await place.run('domains list --json')).stdout).map(
      (domain: { state: string }) => domain.state,
    ),
    ['live', 'pending'],
  )
})

test('names in other scripts are listed with the form that DNS has', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('xn--bcher-kva.example', { unicode: 'bücher.example' })
  assert.match((await place.run('domains')).stdout, /^bücher\.example \(xn--bcher-kva\.example\) {2}/)
})

test('commands that are shown are about the project that was given', async () => {
  await using place = await workplace()
  place.server.addProject('site')
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
  place.server.instead.listDomains = () => {
    throw new Refusal('not_found', 'There is no project gone in this account.')
  }
  const missing = await place.run('domains --project gone')
  assert.equal(
    missing.stderr,
    'There is no project gone in this account.\n`masthead projects` lists what is yours.\n',
  )
})

test('what the sentence says already is not said again', async () => {
  await using place = await workplaceWithSite()
  const message = '"com" is a single label.'
  place.server.instead.addDomain = () => {
    throw new Refusal('hostname_invalid', message, { errors: [{ path: 'hostname', message }] })
  }
  assert.deepEqual((await place.run('domains add com')).stderr.split('\n').slice(0, 2), [
    message,
    'Enter a domain you own, such as acme.com or www.acme.com.',
  ])
  place.server.instead.addDomain = () => {
    const errors = [{ path: 'hostname', message: 'must be shorter' }]
    throw new Refusal('invalid_input', 'hostname must be shorter.', { errors })
  }
  assert.equal((await place.run('domains add a.com')).stderr, 'hostname must be shorter.\n')
})

test('the way without ALIAS is shown only as long as the name does not lead here', async () => {
  await using place = await workplaceWithSite()
  const { records } = place.domains.add('acme.com', { lastCheck: wrongCheck })
  const [routing] = records
  assert.ok(routing)
  assert.match((await place.run('domains show acme.com')).stdout, /neither ALIAS nor ANAME/)
  const proof = { ...routing, purpose: 'ownership' as const, type: 'TXT' as const, alternatives: [] }
  place.domains.add('acme.com', {
    lastCheck: wrongCheck,
    records: [
      { ...routing, status: 'ok' },
      { ...proof, status: 'missing' },
    ],
  })
  assert.doesNotMatch((await place.run('domains show acme.com')).stdout, /ANAME/)
})

test('remove says what ends and asks; --yes removes and passes the warnings on', {
  skip: noTerminal,
}, async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com', { state: 'live', lastCheck: rightCheck })
  place.domains.config = {
    primary: 'www.acme.com',
    redirects: [{ from: 'acme.com', to: 'www.acme.com', status: 301 }],
  }
  const unasked = await place.run('domains remove www.acme.com')
  assert.equal(unasked.exitCode, 2)
  assert.match(unasked.stderr, /Add --yes to go on without asking\./)
  const refused = await place.atTerminal('domains remove www.acme.com', { input: 'n\n' })
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stdout, /stops being served at once\..*the default subdomain takes its place\./s)
  assert.match(refused.stdout, /acme\.com no longer redirects to it\./)
  assert.equal(place.server.count('removeDomain'), 0)
  const removed = await place.run('domains remove www.acme.com --yes')
  assert.equal(removed.exitCode, 0)
  assert.match(
    removed.stderr,
    /^Removed www\.acme\.com\.\nLinks to www\.acme\.com lead nowhere from now on\.\n$/,
  )
})

test('the timeline counts checks with the same result', async () => {
  await using place = await workplaceWithSite()
  const by = { kind: 'system' as const, id: null, name: 'Masthead' }
  const at = '2026-01-02T03:04:05.000Z'
  const entry = { message: 'DNS was checked', at, lastAt: at, by, data: {} }
  place.domains.timeline.push({ ...entry, kind: 'checked', times: 12, check: wrongCheck })
  place.domains.timeline.push({
    ...entry,
    kind: 'added',
    message: 'The domain was added',
    times: 1,
    check: null,
  })
  const { stdout } = await place.run('domains timeline www.acme.com', {
    env: { ...place.signedIn, TZ: 'UTC' },
  })
  assert.match(
    stdout,
    /DNS was checked: An A or AAAA record is in the way \(12 times since .*03:04\) +Masthead\n/,
  )
  assert.match(stdout, /The domain was added +Masthead\n$/)
})

test('check tells by its exit code whether something is in the way, and needs no project', async () => {
  await using place = await workplace()
  const free = await place.run('domains check www.acme.com')
  assert.equal(free.exitCode, 0, free.stderr)
  assert.match(free.stdout, /Nothing is in the way\. Add it: masthead domains add www\.acme\.com\n$/)
  place.server.instead.checkDomain = () => ({
    ...wrongCheck,
    hostname: 'a.b',
    unicode: 'a.b',
    kind: 'subdomain',
  })
  const taken = await place.run('domains check a.b --json')
  assert.equal(taken.exitCode, 1)
  assert.equal(JSON.parse(taken.stdout).outcome, 'wrong')
  assert.deepEqual(place.server.asked, ['checkDomain', 'checkDomain'])
})

test('wrong words after domains are explained, and nothing is asked of the server', async () => {
  await using place = await workplaceWithSite()
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
    'Write `masthead domains add NAME`.',
    'Give a name such as www.acme.com.',
    'Write `masthead domains show NAME`.',
    'See `masthead domains --help`.',
    'Write `masthead domains redirect FROM TO`, or add --remove to end the redirect of FROM.',
    'Give one of 301, 302, 307, 308.',
  ])
  assert.deepEqual(place.server.asked, [])
})
