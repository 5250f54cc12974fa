import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workplaceWithSite } from '../../test/workplace.ts'

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

test('a name that is not of the project is refused with the command that adds it', async () => {
  await using place = await workplaceWithSite()
  const { exitCode, stderr } = await place.run('domains primary new.acme.com')
  assert.equal(exitCode, 1)
  assert.match(stderr, /domains\.primary: new\.acme\.com is not a domain of this project\n/)
  assert.match(stderr, /\n {2}masthead domains add new\.acme\.com\n$/)
})
