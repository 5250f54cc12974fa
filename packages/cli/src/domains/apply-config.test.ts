import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplaceWithSite } from '../../test/workplace.ts'
import { configDifference, type Domains } from './apply-config.ts'

const current: Domains = {
  primary: 'www.xn--bcher-kva.example',
  redirects: [
    { from: 'acme.com', to: 'www.acme.com', status: 301 },
    { from: 'old.acme.com', to: 'www.acme.com', status: 302 },
  ],
}

test('the same names, however they are written and ordered, are no difference', () => {
  const wanted: Domains = {
    primary: 'WWW.Bücher.example.',
    redirects: [
      { from: 'https://old.acme.com/', to: 'www.acme.com', status: 302 },
      { from: 'ACME.com', to: 'www.acme.com.', status: 301 },
    ],
  }
  assert.deepEqual(configDifference(current, wanted), [])
})

test('what is added, removed and changed stands in the signs', () => {
  const wanted: Domains = {
    primary: 'www.acme.com',
    redirects: [
      { from: 'acme.com', to: 'www.acme.com', status: 308 },
      { from: 'new.acme.com', to: 'www.acme.com', status: 301 },
    ],
  }
  assert.deepEqual(
    configDifference(current, wanted).map(({ sign, what, text }) => `${sign} ${what} ${text}`),
    [
      '- primary www.xn--bcher-kva.example',
      '+ primary www.acme.com',
      '- redirect acme.com → www.acme.com (301)',
      '+ redirect acme.com → www.acme.com (308)',
      '- redirect old.acme.com → www.acme.com (302)',
      '+ redirect new.acme.com → www.acme.com (301)',
    ],
  )
})

test('a name that redirects twice is a difference, so that the server can refuse it', () => {
  const twice = { ...current, redirects: [...current.redirects, ...current.redirects.slice(0, 1)] }
  assert.equal(configDifference(current, twice).length, 3)
})

test('primary and redirect change one thing, show it, and leave the rest', async () => {
  await using place = await workplaceWithSite()
  for (const name of ['acme.com', 'www.acme.com']) place.domains.add(name)
  const first = await place.run('domains redirect https://ACME.com/ www.acme.com --status 308')
  assert.equal(first.exitCode, 0, first.stderr)
  assert.match(
    first.stderr,
    /^Domains of site:\n {2}\+ {2}redirect {2}acme\.com → www\.acme\.com \(308\)\nApplied\.\n$/,
  )
  place.domains.config = {
    primary: 'site.example',
    redirects: [{ from: 'acme.com', to: 'www.acme.com', status: 308 }],
  }
  assert.match((await place.run('domains redirect acme.com www.acme.com')).stderr, /^It is so already\.\n$/)
  assert.equal((await place.run('domains primary www.acme.com')).exitCode, 0)
  assert.match(
    (await place.run('domains config')).stdout,
    /^primary +www\.acme\.com\nredirect +acme\.com → www\.acme\.com +308\n$/,
  )
  assert.equal((await place.run('domains redirect acme.com --remove')).exitCode, 0)
  assert.deepEqual(place.domains.config, { primary: 'www.acme.com', redirects: [] })
})

test('a change that somebody else made at the same moment is kept beside ours', async () => {
  await using place = await workplaceWithSite()
  for (const name of ['acme.com', 'www.acme.com', 'old.acme.com']) place.domains.add(name)
  const { server, domains } = place
  const theirs = { from: 'old.acme.com', to: 'www.acme.com', status: 302 as const }
  const read = server.answerers.getDomainConfig
  server.instead.getDomainConfig = (call) => {
    const seen = structuredClone(read?.(call))
    if (server.count('getDomainConfig') === 1)
      domains.config = { primary: 'site.example', redirects: [theirs] }
    return seen
  }
  const { exitCode, stderr } = await place.run('domains redirect acme.com www.acme.com')
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /\nSomebody else changed them at this moment\. .*:\n.*\n {2}\+ .*\nApplied\.\n$/)
  assert.deepEqual(domains.config?.redirects, [theirs, { from: 'acme.com', to: 'www.acme.com', status: 301 }])
})

test('who is overtaken again and again is told so, and nothing is changed', async () => {
  await using place = await workplaceWithSite()
  place.domains.add('www.acme.com')
  place.server.instead.putDomainConfig = () => {
    throw new Refusal('domain_config_changed', 'Somebody changed them meanwhile.')
  }
  const { exitCode, stderr } = await place.run('domains primary www.acme.com')
  assert.equal(exitCode, 1)
  assert.match(
    stderr,
    /\nSomebody changed them meanwhile\.\nNothing was changed\. Run the command again\.\n$/,
  )
  assert.equal(place.server.count('putDomainConfig'), 4)
})

test('a name that is not of the project is refused with the command that adds it', async () => {
  await using place = await workplaceWithSite()
  const { exitCode, stderr } = await place.run('domains primary new.acme.com')
  assert.equal(exitCode, 1)
  assert.match(stderr, /domains\.primary: new\.acme\.com is not a domain of this project\n/)
  assert.match(stderr, /\n {2}masthead domains add new\.acme\.com\n$/)
})
