import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { visit } from '@masthead/testing/clients/visit.ts'
import { assist } from '../../test/assistant.ts'
import { hostileServer } from '../../test/hostile-server.ts'
import { noTerminal, startUnread } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
const site = { 'site/index.html': 'by an assistant' }
const workplace = (files: Record<string, string> = site) => createWorkplace(server(), files)

test('without --allow every tool only reads, and errors say what to do', async () => {
  await using place = await workplace()
  await using assistant = await assist(place)
  const tools = await assistant.tools()
  assert.ok(tools.length > 10)
  for (const { name, annotations } of tools) {
    assert.equal(annotations?.readOnlyHint, true, name)
    assert.doesNotMatch(name, /^(create|add|delete|remove|change|put|set|publish|activate)_/)
  }
  const listed = await assistant.call('list_projects')
  assert.equal(listed.isError, false)
  assert.deepEqual(JSON.parse(listed.text).items, [])
  await assert.rejects(assistant.call('create_project', { body: { name: 'x' } }), /create_project/)

  const missing = await assistant.call('get_project', { project: 'nowhere' })
  assert.ok(missing.isError)
  assert.match(missing.text, /There is no project.*masthead projects/s)
  for (const given of [{}, { project: 7 }, { project: 'x', more: 1 }]) {
    const outcome = await assistant.call('get_project', given).catch((error: Error) => ({
      isError: true,
      text: error.message,
    }))
    assert.ok(outcome.isError, JSON.stringify(given))
    assert.match(outcome.text, /project|more/)
  }
  const dots = await assistant.call('get_project', { project: '..' })
  assert.ok(dots.isError)
  assert.match(dots.text, /^"\.\." is not a project\./)
})

test('every call of a piped session is answered after the end of its input', async () => {
  await using place = await workplace()
  const requests = [
    {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    {
      method: 'tools/call',
      params: { name: 'publish_folder', arguments: { folder: 'site', project: 'piped' } },
    },
    { method: 'tools/call', params: { name: 'get_account', arguments: {} } },
    { method: 'tools/list' },
  ].map((request, id) => JSON.stringify({ jsonrpc: '2.0', id, ...request }))
  const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const input = `${requests.toSpliced(1, 0, initialized).join('\n')}\n`
  const { exitCode, stdout, stderr } = await place.run('mcp --allow deploy', { input })
  assert.equal(exitCode, 0, stderr)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(answers.map(({ id }) => id).toSorted(), [0, 1, 2, 3])
  assert.equal(answers.find(({ id }) => id === 1).result.structuredContent.project, 'piped')
})

test('it ends by a signal and when nobody reads its answers, while its input stays open', {
  timeout: 60_000,
}, async () => {
  await using place = await workplace()
  const clientInfo = { name: 'x', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const request = `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`
  for (const end of ['signal', 'unread'] as const) {
    const at = { cwd: place.path, env: place.signedIn }
    const child = startUnread(['mcp'], at, end === 'unread' ? ['stdout'] : [])
    using _ = { [Symbol.dispose]: () => child.kill('SIGKILL') }
    const closed = once(child, 'close')
    child.stderr.resume()
    child.stdin.write(request)
    if (end === 'signal') {
      await once(child.stdout, 'data')
      child.kill('SIGTERM')
    }
    assert.deepEqual(await closed, [0, null], end)
  }
})

for (const mode of ['legacy', 'auto'] as const) {
  test(`an assistant publishes a folder, and asks the person before it deletes (${mode})`, async () => {
    await using place = await workplace()
    const answers = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { agree: false } },
      { action: 'accept', content: { agree: true } },
    ] as const
    await using assistant = await assist(place, { args: ['--allow', 'deploy,admin'], answers, mode })
    const project = `by-${mode}`
    const published = await assistant.call('publish_folder', { folder: 'site', project })
    assert.equal(published.isError, false, published.text)
    assert.equal(JSON.parse(published.text).project, project)
    assert.equal((await visit(server().masthead, project, '/')).body, 'by an assistant')
    for (const folder of ['/etc', '..', '../', 'site/../..', `${place.path}/../`, '/']) {
      const refused = await assistant.call('publish_folder', { folder })
      assert.ok(refused.isError, folder)
      assert.match(refused.text, /is not inside/)
    }
    for (const [before] of answers.slice(0, 3).entries()) {
      const refused = await assistant.call('delete_project', { project })
      assert.ok(refused.isError, refused.text)
      assert.match(refused.text, /did not agree/)
      assert.equal(assistant.asked.length, before + 1)
      assert.match(assistant.asked[before] ?? '', new RegExp(project))
      assert.equal((await assistant.call('get_project', { project })).isError, false)
    }
    assert.equal((await assistant.call('delete_project', { project })).isError, false)
    assert.match((await assistant.call('get_project', { project })).text, /There is no project/)
  })
}

test('publishing to another version of Masthead whose answers are of another shape names both versions', async () => {
  await using place = await workplace()
  await using other = await hostileServer({})
  await using assistant = await assist(place, {
    args: ['--allow', 'deploy'],
    env: { MASTHEAD_SERVER: other.url },
  })
  const { isError, text } = await assistant.call('publish_folder', { folder: 'site', project: 'mine' })
  assert.ok(isError)
  assert.match(
    text,
    /is Masthead 1\.0\.0 and answered otherwise than this command line, \d+\.\d+\.\d+, expects/,
  )
})

test('a project file publishes no folder outside the one that the program was started in', async () => {
  await using place = await workplace({ 'secret/index.html': 'secret', 'work/site/index.html': 'mine' })
  const work = join(place.path, 'work')
  await symlink(join(place.path, 'secret'), join(work, 'link'))
  await using assistant = await assist(place, { args: ['--allow', 'deploy'], cwd: work })
  const publishes = (folder: string) => JSON.stringify({ project: 'mine', folder })
  for (const [file, folder, asked] of [
    ['masthead.json', '../secret', '.'],
    ['masthead.json', join(place.path, 'secret'), '.'],
    ['masthead.json', 'link', '.'],
    ['site/masthead.json', '../../secret', 'site'],
    ['site/masthead.json', '../link', 'site'],
  ] as const) {
    await place.write(`work/${file}`, publishes(folder))
    const refused = await assistant.call('publish_folder', { folder: asked })
    await rm(join(work, file))
    assert.ok(refused.isError, folder)
    assert.ok(refused.text.startsWith(`${folder}, the folder in ${file}, is not inside `), refused.text)
  }
  assert.deepEqual((await place.client.listProjects()).items, [])
  await place.write('work/masthead.json', publishes('site'))
  const published = await assistant.call('publish_folder')
  assert.equal(published.isError, false, published.text)
  assert.equal((await visit(server().masthead, 'mine', '/')).body, 'mine')
})

test('the person is asked before anything costs, gives rights or replaces, and sees with what', async () => {
  await using place = await workplace()
  await place.addProject('kept')
  const no = { action: 'decline' } as const
  await using assistant = await assist(place, {
    args: ['--allow', 'deploy,domains,admin'],
    answers: Array.from({ length: 6 }, () => no),
  })
  const before = JSON.parse((await assistant.call('get_account')).text)
  const webhook = `whk_${'0'.repeat(20)}`
  const calls: [string, Record<string, unknown>, RegExp][] = [
    ['change_plan', { body: { plan: 'business' } }, /business/],
    ['change_member', { person: `usr_${'0'.repeat(20)}`, body: { role: 'owner' } }, /owner/],
    ['change_webhook', { webhook, body: { url: 'https://elsewhere.example' } }, /elsewhere\.example/],
    ['change_project', { project: 'kept', body: { slug: 'renamed' } }, /kept.*renamed/s],
    [
      'set_protection',
      { project: 'kept', body: { password: 'correct horse battery' } },
      /^(?!.*horse).*kept/s,
    ],
    ['put_domain_config', { project: 'kept', body: { domains: { primary: 'www.example.com' } } }, /kept/],
  ]
  for (const [at, [name, given, shown]] of calls.entries()) {
    const refused = await assistant.call(name, given)
    assert.match(refused.text, /did not agree/, name)
    assert.match(assistant.asked[at] ?? '', shown, name)
  }
  assert.deepEqual(JSON.parse((await assistant.call('get_account')).text), before)
  assert.equal((await assistant.call('get_project', { project: 'kept' })).isError, false)
})

test('publishing changes no domains, unless they are allowed and the person agrees', async () => {
  const address = server().site('site')
  const file = (primary: string) => JSON.stringify({ project: 'site', domains: { primary, redirects: [] } })
  await using place = await workplace({ ...site, 'masthead.json': file('www.acme.localhost') })
  await place.addProject('site')
  await place.publish('site')
  await place.goLive(await place.addDomain('www.acme.localhost'))
  const primary = async () =>
    (await place.client.getDomainConfig({ params: { project: 'site' } })).domains.primary
  const before = await primary()
  assert.equal(before, new URL(address).hostname)
  {
    await using assistant = await assist(place, { args: ['--allow', 'deploy'] })
    const published = await assistant.call('publish_folder', { folder: 'site' })
    assert.equal(published.isError, false, published.text)
    const wanted = assistant.call('publish_folder', { folder: 'site', domains: true })
    assert.match(await wanted.then(({ text }) => text, String), /domains/)
  }
  assert.equal(await primary(), before)
  const no = { action: 'decline' } as const
  const yes = { action: 'accept', content: { agree: true } } as const
  const args = ['--allow', 'deploy,domains']
  await using assistant = await assist(place, { args, answers: [no, yes, yes] })
  assert.equal((await assistant.call('publish_folder', { folder: 'site' })).isError, false)
  assert.deepEqual(assistant.asked, [])
  const given = { folder: 'site', domains: true }
  assert.match((await assistant.call('publish_folder', given)).text, /did not agree/)
  assert.match(assistant.asked[0] ?? '', /www\.acme\.localhost/)
  assert.equal(await primary(), before)
  const agreed = await assistant.call('publish_folder', given)
  assert.equal(JSON.parse(agreed.text).domainsChanged, true)
  assert.equal(await primary(), 'www.acme.localhost')

  await place.write('masthead.json', file('missing.acme.localhost'))
  const failed = await assistant.call('publish_folder', given)
  assert.ok(failed.isError)
  assert.match(failed.text, /is published, but its domains were not changed.*missing\.acme\.localhost/s)
})

test('an assistant that cannot ask deletes nothing, unless --yes was given', async () => {
  await using place = await workplace()
  await place.addProject('gone')
  for (const mode of ['legacy', 'auto'] as const) {
    await using assistant = await assist(place, { args: ['--allow=admin'], mode })
    const refused = await assistant.call('delete_project', { project: 'gone' })
    assert.ok(refused.isError)
    assert.match(refused.text, /cannot ask.*--yes/s)
    assert.equal((await assistant.call('get_project', { project: 'gone' })).isError, false)
    assert.ok(!(await assistant.tools()).some(({ name }) => name === 'publish_folder'))
  }
  await using trusted = await assist(place, { args: ['--allow', 'admin', '--yes'], mode: 'legacy' })
  assert.equal((await trusted.call('delete_project', { project: 'gone' })).isError, false)
})

test('without a key the tools say how to sign in', async () => {
  await using place = await workplace()
  await using stranger = await assist(place, { env: { MASTHEAD_KEY: '' }, mode: 'legacy' })
  assert.match((await stranger.call('list_projects')).text, /masthead login/)
})

test('a sign-in or a sign-out while it runs counts from the next call on', async () => {
  await using place = await workplace()
  const { key } = server().account
  const calls = [
    ['list_projects', {}],
    ['publish_folder', { folder: 'site', project: 'late' }],
  ] as const
  // A server that only the project file names is trusted by the sign-in, too.
  await place.write('masthead.json', JSON.stringify({ server: place.proxy.url }))
  for (const env of [{ MASTHEAD_KEY: '' }, { MASTHEAD_KEY: '', MASTHEAD_SERVER: '' }]) {
    await using assistant = await assist(place, { args: ['--allow', 'deploy'], env })
    const outcomes = async () => {
      const made = []
      for (const [name, given] of calls) made.push((await assistant.call(name, given)).isError)
      return made
    }
    assert.deepEqual(await outcomes(), [true, true])
    const login = await place.run(`login ${place.proxy.url} --with-key`, { env: {}, input: key })
    assert.equal(login.exitCode, 0, login.stderr)
    assert.deepEqual(await outcomes(), [false, false])
    assert.equal((await place.run('logout', { env })).exitCode, 0)
    assert.deepEqual(await outcomes(), [true, true])
  }
})

test('at a terminal it shows how to set it up', { skip: noTerminal }, async () => {
  await using place = await workplace()
  const shown = await place.atTerminal('mcp --allow deploy')
  assert.equal(shown.exitCode, 0)
  const settings = JSON.parse(shown.stdout.slice(0, shown.stdout.lastIndexOf('}') + 1))
  assert.deepEqual(settings.mcpServers.masthead.args.slice(-2), ['--allow', 'deploy'])
  assert.equal(settings.mcpServers.masthead.command, 'masthead')
  const byNpx = await place.atTerminal('mcp', { env: { ...place.signedIn, npm_command: 'exec' } })
  const { command, args } = JSON.parse(byNpx.stdout.slice(0, byNpx.stdout.lastIndexOf('}') + 1)).mcpServers
    .masthead
  assert.deepEqual([command, ...args.slice(0, 2)], ['npx', 'masthead', 'mcp'])
  const wrong = await place.run('mcp --allow everything')
  assert.equal(wrong.exitCode, 2)
  assert.match(wrong.stderr, /--allow has no "everything"/)
})

test('no tool sends the key to a server that only the project file names', async () => {
  await using place = await workplace()
  await place.write('masthead.json', JSON.stringify({ server: place.proxy.url }))
  await using assistant = await assist(place, { args: ['--allow', 'deploy'], env: { MASTHEAD_SERVER: '' } })
  for (const [tool, given] of [
    ['list_projects', {}],
    ['publish_folder', { folder: 'site' }],
  ] as const) {
    const { isError, text } = await assistant.call(tool, given)
    assert.equal(isError, true)
    assert.match(text, /was not sent to http/)
  }
  assert.deepEqual(place.proxy.called, [])
})
