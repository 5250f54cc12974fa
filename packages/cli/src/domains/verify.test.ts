import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import type { RunningNameServer } from '@masthead/testing/peers/name-server.ts'
import { startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { noTerminal, program } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { type Workplace, workplaceWithSite } from '../../test/workplace.ts'

const skip = skipWithout('knot')
const eraseLineAbove = '\x1b[1A\x1b[2K'
const nameservers = '@ NS ada.ns.cloudflare.com.\n@ NS bob.ns.cloudflare.com.\n'

/** Both nameservers of acme.com. The second one has an empty zone unless a test says otherwise. */
const knots: RunningNameServer[] = []
const server = serverForFile({ env: startKnots })

async function startKnots(): Promise<Record<string, string>> {
  if (skip !== false) return {}
  const port = await freeDnsPort('127.0.0.1', '127.0.0.2')
  const cloudflare = 'ada.ns A 127.0.0.1\nbob.ns A 127.0.0.2'
  const zones = { 'acme.com': nameservers, 'cloudflare.com': cloudflare }
  for (const address of ['127.0.0.1', '127.0.0.2']) knots.push(await startKnot({ address, port, zones }))
  return {
    MASTHEAD_DNS_SERVERS: `127.0.0.1:${port}`,
    MASTHEAD_DNS_PORT: String(port),
    MASTHEAD_LAB_PORT: 'off',
  }
}

after(() => Promise.all(knots.map((knot) => knot.stop())))

/** What the first nameserver of acme.com says, and all others where `everywhere` is set. */
async function setRecords(records: string, everywhere = true): Promise<void> {
  const [first, second] = knots
  await first?.setZone('acme.com', nameservers + records)
  await second?.setZone('acme.com', nameservers + (everywhere ? records : ''))
}

const pointTo = ({ records: [record], hostname }: Domain) =>
  setRecords(`${hostname}. 3600 CNAME ${record?.value}.`)

const wrongRecord = 'www 300 A 203.0.113.9'

async function workplace(): Promise<Workplace> {
  await setRecords('')
  return workplaceWithSite(server())
}

test('verify without waiting shows servers, findings and what to change, and exits with 1 while DNS is wrong', {
  skip,
}, async () => {
  await using place = await workplace()
  await setRecords(wrongRecord, false)
  const { records } = await place.addDomain('www.acme.com')
  const { exitCode, stdout, stderr } = await place.run('domains verify WWW.acme.com --no-wait')
  assert.equal(exitCode, 1)
  assert.match(
    stdout,
    /^Nameservers of acme\.com {2}Cloudflare\n {2}ada\.ns\.cloudflare\.com {2}127\.0\.0\.1 {2}A 203\.0\.113\.9$/m,
  )
  assert.match(stdout, /^ {2}bob\.ns\.cloudflare\.com {2}127\.0\.0\.2 {2}no record$/m)
  const { lastCheck } = await place.client.getDomain({
    params: { project: 'site', hostname: 'www.acme.com' },
  })
  const conflict = lastCheck?.findings.find(({ code }) => code === 'address_conflict')
  const unwrapped = stdout.replace(/\s+/g, ' ')
  assert.ok(unwrapped.includes(` ✗ ${conflict?.message} ${conflict?.fix} `), stdout)
  assert.match(stdout, /^ {2}- remove {2}A {6}www {2}203\.0\.113\.9$/m)
  assert.match(stdout, new RegExp(`^  \\+ add     CNAME  www  ${records[0]?.value}  TTL 3600$`, 'm'))
  assert.match(stdout, /^Added .* Checked .* Checking ends in 2 d\.$/m)
  assert.equal(stderr, 'The DNS of www.acme.com is not correct yet: Waiting for DNS.\n')
  assert.equal(place.proxy.count('getDomain'), 0)
})

test('verify waits until DNS is right, with a line for every change', { skip }, async () => {
  await using place = await workplace()
  await setRecords(wrongRecord)
  const domain = await place.addDomain('www.acme.com')
  place.proxy.after.verifyDomain = () => pointTo(domain)
  const { exitCode, stdout, stderr } = await place.run('domains verify www.acme.com')
  assert.equal(exitCode, 0, stderr)
  assert.match(
    stderr,
    /^\d\d:\d\d www\.acme\.com: Waiting for DNS\. An A or AAAA record is in the way; [^\n]+\n$/,
  )
  assert.match(
    stdout,
    /^www\.acme\.com {2}(Verified\nServed at .*; waiting for its certificate|Live\nServed at )/,
  )
  assert.equal(place.proxy.count('verifyDomain'), 1)
  assert.ok(place.proxy.count('getDomain') >= 1)
})

/** As if the two days had passed in which a record is searched for. */
function endSearch(): void {
  using database = new DatabaseSync(join(server().masthead.dataFolder, 'masthead.db'), { timeout: 5_000 })
  database.exec('UPDATE domains SET searching_since = 0, asked_at = 0, next_check_at = 0')
}

test('verify ends with 1 when the search has ended, and with one document under --json', {
  skip,
}, async () => {
  await using place = await workplace()
  await setRecords(wrongRecord)
  await place.addDomain('www.acme.com')
  place.proxy.after.reverifyDomain = endSearch
  const { exitCode, stdout, stderr } = await place.run('domains reverify www.acme.com --json')
  assert.equal(exitCode, 1)
  assert.equal(JSON.parse(stdout).state, 'failed')
  assert.equal(JSON.parse(stderr).code, 'domain_not_right')
  assert.equal(place.proxy.count('reverifyDomain'), 1)
})

test('at a terminal the view is redrawn in place, and gone when the result is there', {
  skip: noTerminal || skip,
}, async () => {
  await using place = await workplace()
  await setRecords(wrongRecord)
  const domain = await place.addDomain('www.acme.com')
  place.proxy.after.verifyDomain = () => pointTo(domain)
  const { exitCode, stdout } = await place.atTerminal('domains verify www.acme.com')
  assert.equal(exitCode, 0, stdout)
  const left = stdout.slice(stdout.lastIndexOf(eraseLineAbove))
  const drawn = stdout.slice(0, -left.length)
  assert.match(drawn, /Waiting for DNS.*To do in DNS/s)
  assert.match(left, /Verified|Live/)
  assert.doesNotMatch(left, /To do in DNS/)
})

test('reverify says what becomes of the certificate', { skip }, async () => {
  await using place = await workplace()
  const domain = await place.addDomain('www.acme.com')
  await pointTo(domain)
  await place.client.verifyDomain({ params: { project: 'site', hostname: 'www.acme.com' } })
  const asked = await place.run('domains reverify www.acme.com --no-wait')
  assert.equal(asked.stderr, 'Requested a new certificate for www.acme.com.\n')
  await place.addDomain('new.acme.com')
  const later = await place.run('domains reverify new.acme.com --no-wait')
  assert.match(
    later.stderr,
    /^We will request a certificate for new\.acme\.com as soon as its DNS is correct\.\n/,
  )
})

test('reverify requests nothing where a certificate was uploaded, and says why', { skip }, async () => {
  await using place = await workplace()
  const domain = await place.addDomain('www.acme.com')
  await pointTo(domain)
  const params = { project: 'site', hostname: 'www.acme.com' }
  await place.client.verifyDomain({ params })
  const ca = await startOpensslCa()
  try {
    const { leaf, key } = await ca.issue({ names: ['www.acme.com'] })
    await place.client.uploadCertificate({ params, body: { chain: leaf + ca.intermediate, key } })
  } finally {
    await ca.remove()
  }
  const { stderr } = await place.run('domains reverify www.acme.com --no-wait')
  assert.match(stderr, /^No certificate was requested: www\.acme\.com uses the one you uploaded\./)
  assert.match(stderr, / masthead domains certificate www\.acme\.com --remove\n$/)
})

test('Ctrl-C ends the watching with 130', { skip }, async () => {
  await using place = await workplace()
  await setRecords(wrongRecord)
  await place.addDomain('www.acme.com')
  const child = spawn(process.execPath, [program, 'domains', 'verify', 'www.acme.com'], {
    cwd: place.path,
    env: { ...place.signedIn, PATH: process.env.PATH, HOME: place.path },
  })
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  assert.equal((await once(child, 'close'))[0], 130)
})

test('a look that could not tell is no success, even where the domain is served', { skip }, async () => {
  await using place = await workplace()
  const domain = await place.addDomain('www.acme.com')
  await pointTo(domain)
  const params = { project: 'site', hostname: 'www.acme.com' }
  assert.match((await place.client.verifyDomain({ params })).state, /^(verified|live)$/)
  for (const knot of knots) await knot.stop()
  const { exitCode, stderr } = await place.run('domains verify www.acme.com --no-wait')
  assert.equal(exitCode, 1)
  assert.equal(stderr, 'The DNS of www.acme.com could not be checked.\n')
  assert.match((await place.client.getDomain({ params })).state, /^(verified|live)$/)
})
