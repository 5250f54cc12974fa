import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../test/run-masthead.ts'
import { serverForFile } from '../test/test-server.ts'
import { workplaceWithSite } from '../test/workplace.ts'

const server = serverForFile()

test('run by npx, the help of a command says what to type', async () => {
  await using place = await workplaceWithSite(server())
  const env = { ...place.signedIn, npm_command: 'exec' }
  for (const args of ['--help', 'deploy --help', 'help domains']) {
    const { stdout } = await place.run(args, { env })
    assert.match(stdout, /\n\nType `npx masthead` for `masthead`\.\n$/, args)
    assert.doesNotMatch((await place.run(args)).stdout, /Type `/, args)
  }
})

test('run by npx, what is redrawn while somebody waits has commands to type', {
  skip: noTerminal,
}, async () => {
  await using place = await workplaceWithSite(server())
  const env = { ...place.signedIn, npm_command: 'exec' }
  const { hostname, records } = await place.addDomain('www.acme.localhost')
  const [{ fqdn: name, value } = assert.fail()] = records
  let looks = 0
  place.proxy.before.getDomain = async () => {
    if (looks++ > 0) return
    const params = { name, type: 'CNAME' } as const
    await place.client.setLabRecord({ params, body: { values: [value] } })
    await place.client.verifyDomain({ params: { project: 'site', hostname } })
  }
  const { exitCode, stdout } = await place.atTerminal(`domains verify ${hostname}`, { env })
  assert.equal(exitCode, 0, stdout)
  assert.match(stdout, /npx masthead lab set www\.acme\.localhost/)
  assert.doesNotMatch(stdout, /(?<!npx )masthead lab/)
})
