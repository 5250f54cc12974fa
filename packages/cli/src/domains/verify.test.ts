import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { noTerminal, program } from '../../test/run-masthead.ts'
import { rightCheck, target, wrongCheck } from '../../test/stand-in-domains.ts'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplaceWithSite } from '../../test/workplace.ts'

const eraseLineAbove = '\x1b[1A\x1b[2K'

test('verify without waiting shows servers, findings and what to change, and exits with 1 while DNS is wrong', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com')
  place.domains.looks.push({ lastCheck: wrongCheck })
  const { exitCode, stdout, stderr } = await place.run('domains verify WWW.acme.com --no-wait')
  assert.equal(exitCode, 1)
  assert.match(
    stdout,
    /^Nameservers of acme\.com {2}Cloudflare\n {2}ns1\.acme\.com {2}192\.0\.2\.53 {2}A 203\.0\.113\.9$/m,
  )
  assert.match(stdout, /^ {2}ns2\.acme\.com {2}192\.0\.2\.54 {2}no record$/m)
  assert.match(
    stdout,
    /^✗ An A record is in the way: .*\n {2}Remove the A record for www, then add the CNAME\.$/m,
  )
  assert.match(stdout, /^ {2}- remove {2}A {6}www {2}203\.0\.113\.9$/m)
  assert.match(stdout, new RegExp(`^  \\+ add     CNAME  www  ${target}  TTL 3600$`, 'm'))
  assert.match(stdout, /^Added 5 min ago\. Looked .* The search ends in 1 d 23 h\.$/m)
  assert.equal(stderr, 'The DNS of www.acme.com is not right yet: Waiting for DNS.\n')
  assert.equal(place.server.count('getDomain'), 0)
})

test('verify waits until DNS is right, with a line for every change', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com')
  place.domains.looks.push(
    { lastCheck: wrongCheck },
    { lastCheck: wrongCheck },
    { state: 'verified', lastCheck: rightCheck },
  )
  const { exitCode, stdout, stderr } = await place.run('domains verify www.acme.com')
  assert.equal(exitCode, 0, stderr)
  assert.match(
    stderr,
    /^\d\d:\d\d www\.acme\.com: Waiting for DNS\. An A or AAAA record is in the way; [^\n]+\n$/,
  )
  assert.match(
    stdout,
    /^www\.acme\.com {2}Verified\nServed at http:\/\/www\.acme\.com; the certificate is not/,
  )
  assert.equal(place.server.count('verifyDomain'), 1)
  assert.equal(place.server.count('getDomain'), 2)
})

test('verify ends with 1 when the search has ended, and with one document under --json', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com')
  place.domains.looks.push({ lastCheck: wrongCheck }, { state: 'failed' })
  const { exitCode, stdout, stderr } = await place.run('domains reverify www.acme.com --json')
  assert.equal(exitCode, 1)
  assert.equal(JSON.parse(stdout).state, 'failed')
  assert.equal(JSON.parse(stderr).code, 'domain_not_right')
  assert.equal(place.server.count('reverifyDomain'), 1)
})

test('a look that could not tell is no success, even where the domain is served', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com', {
    state: 'live',
    lastCheck: { ...rightCheck, outcome: 'unclear', ok: false },
  })
  const { exitCode, stderr } = await place.run('domains verify www.acme.com --no-wait')
  assert.equal(exitCode, 1)
  assert.equal(stderr, 'The DNS of www.acme.com could not be checked.\n')
})

test('at a terminal the view is drawn anew in place, and gone when the answer stands', {
  skip: noTerminal,
}, async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com')
  place.domains.looks.push({ lastCheck: wrongCheck }, { state: 'verified', lastCheck: rightCheck })
  const { exitCode, stdout } = await place.atTerminal('domains verify www.acme.com')
  assert.equal(exitCode, 0, stdout)
  const left = stdout.slice(stdout.lastIndexOf(eraseLineAbove))
  const drawn = stdout.slice(0, -left.length)
  assert.match(drawn, /Waiting for DNS.*To do in DNS/s)
  assert.match(left, /Verified/)
  assert.doesNotMatch(left, /To do in DNS/)
})

test('what is left standing at a terminal is whole, however wide it is', { skip: noTerminal }, async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com')
  const command = `masthead lab set www.acme.localhost CNAME ${'k'.repeat(60)}.cname.masthead.localhost`
  const findings = wrongCheck.findings.map((finding) => ({ ...finding, fix: `In the lab, run: ${command}` }))
  place.domains.looks.push({ lastCheck: { ...wrongCheck, findings } })
  place.server.instead.getDomain = () => {
    throw new Refusal('not_found', 'The domain is gone.')
  }
  const { exitCode, stdout } = await place.atTerminal('domains verify www.acme.com')
  assert.equal(exitCode, 1, stdout)
  assert.doesNotMatch(stdout, /…/)
  const left = stdout.slice(stdout.lastIndexOf(eraseLineAbove))
  assert.match(left, new RegExp(`\n {4}${command}\r?\n`))
  assert.match(left, /Masthead goes on looking by itself/)
})

test('reverify says what becomes of the certificate', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com', { state: 'verified', lastCheck: rightCheck })
  const asked = await place.run('domains reverify www.acme.com --no-wait')
  assert.equal(asked.stderr, 'A fresh attempt at a certificate for www.acme.com was asked for.\n')
  place.domains.add('new.acme.com')
  const later = await place.run('domains reverify new.acme.com --no-wait')
  assert.match(later.stderr, /^A certificate for new\.acme\.com is asked for as soon as its DNS is right\.\n/)
})

test('Ctrl-C ends the watching with 130', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com', { lastCheck: wrongCheck })
  const child = spawn(process.execPath, [program, 'domains', 'verify', 'www.acme.com'], {
    cwd: place.path,
    env: { ...place.signedIn, PATH: process.env.PATH, HOME: place.path },
  })
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  assert.equal((await once(child, 'close'))[0], 130)
})
