import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { workplaceWithSite } from '../../test/workplace.ts'

const server = serverForFile()

test('remove says that a live wildcard answers for the name, and that links break if it is not live', {
  skip: noTerminal,
}, async () => {
  await using place = await workplaceWithSite(server())
  // A wildcard proves its domain, so no other file that shares the server may use this one.
  await place.client.changePlan({ body: { plan: 'business', suspendDomains: false } })
  await place.goLive(await place.addDomain('www.covered.localhost'))
  const wildcard = await place.addDomain('*.covered.localhost')
  const ask = () => place.atTerminal('domains remove www.covered.localhost', { input: 'n\n' })
  assert.match((await ask()).stdout, /Links to www\.covered\.localhost will stop working\./)
  for (const { fqdn, type, value } of wildcard.records) {
    await place.client.setLabRecord({ params: { name: fqdn, type }, body: { values: [value] } })
  }
  await place.goLive(wildcard)
  const covered = await ask()
  assert.match(covered.stdout, /links to it will show what \*\.covered\.localhost shows\./)
  assert.doesNotMatch(covered.stdout, /stop working|stops being served/)
  const removed = await place.run('domains remove www.covered.localhost --yes')
  assert.match(
    removed.stderr,
    /^Removed www\.covered\.localhost\.\n\*\.covered\.localhost covers www\.covered\.localhost: links to it show what \*\.covered\.localhost shows\.\n$/,
  )
})
