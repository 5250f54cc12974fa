import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assist } from '../../test/assistant.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
/** As npx starts it. */
const env = { npm_command: 'exec' }

test('an assistant is told commands as the person has to type them', async () => {
  await using place = await createWorkplace(server())
  await using stranger = await assist(place, { env: { ...env, MASTHEAD_KEY: '' } })
  const unknown = await stranger.call('list_projects')
  const [, fix, document = ''] = unknown.text.split('\n')
  assert.equal(fix, `Run \`npx masthead login ${place.proxy.url}\`, or set MASTHEAD_KEY.`)
  assert.equal(JSON.parse(document).fix, fix)

  await using assistant = await assist(place, { env, args: ['--allow', 'admin,domains'] })
  const missing = await assistant.call('get_project', { project: 'nowhere' })
  assert.match(missing.text, /^Run `npx masthead projects` to list your projects\.$/m)
  const refused = await assistant.call('delete_project', { project: 'nowhere' })
  assert.match(refused.text, /^Start `npx masthead mcp` with --yes to do it without a question/m)
  assert.ok(refused.text.endsWith(`or let the person do it in the dashboard: ${place.proxy.url}`))
})

test('so are the commands in what the server answers, but names stay', async () => {
  await using place = await createWorkplace(server())
  await place.client.createProject({ body: { slug: 'site', name: 'masthead deploy site' } })
  await using assistant = await assist(place, { env, args: ['--allow', 'domains'] })
  await place.publish('site')
  await place.addDomain('www.acme.localhost')
  const found = await assistant.call('verify_domain', { project: 'site', hostname: 'www.acme.localhost' })
  for (const checked of [found.structuredContent, JSON.parse(found.text)]) {
    const { lastCheck } = checked as { lastCheck: { findings: { fix: string }[] } }
    const fixes = lastCheck.findings.map(({ fix }) => fix).join('\n')
    assert.match(fixes, /npx masthead lab set www\.acme\.localhost/)
    assert.doesNotMatch(fixes, /(?<!npx )masthead lab/)
  }
  const { text, structuredContent } = await assistant.call('get_project', { project: 'site' })
  assert.equal(JSON.parse(text).name, 'masthead deploy site')
  assert.deepEqual(structuredContent, JSON.parse(text))
})
