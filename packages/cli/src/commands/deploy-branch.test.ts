import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { until } from '@masthead/testing/until.ts'
import { runMasthead } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../test/workplace.ts'

const server = serverForFile()

const deploymentsOf = async ({ client }: Workplace, project: string) =>
  (await client.listDeployments({ params: { project } })).items

test('a branch has an address that always shows its newest deployment, and goes live only if asked', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'one' })
  const first = await place.run('deploy site --branch trunk')
  assert.equal(first.stdout, `${server().site('site')}\n`, first.stderr)
  const { productionBranch } = await place.client.getProject({ params: { project: 'site' } })
  assert.equal(productionBranch, 'trunk', 'a new project publishes from the branch it began with')

  const address = server().site('feature-login--site')
  const at = async () => {
    const { hostname, port } = new URL(address)
    const headers = { host: `${hostname}:${port}` }
    const [answer] = await once(get({ host: '127.0.0.1', port, headers }), 'response')
    return [answer.statusCode, answer.headers['x-robots-tag'], await text(answer)]
  }
  assert.equal((await at())[0], 404)
  for (const content of ['two', 'three']) {
    await place.write('site/index.html', content)
    const preview = await place.run(`deploy site --branch feature/login -m ${content}`)
    const [newest, ...older] = await deploymentsOf(place, 'site')
    assert.equal(preview.stdout, `${newest?.url}\n`)
    assert.deepEqual(newest?.meta, { message: content, branch: 'feature/login' })
    assert.match(preview.stderr, new RegExp(`newest deployment of feature/login is always at ${address}\n`))
    assert.match(preview.stderr, /Only trunk goes live\. To publish this, add --activate\./)
    assert.equal(older.at(-1)?.active, true)
    await until(async () => (await at())[2] === content)
    assert.deepEqual((await at()).slice(0, 2), [200, 'noindex'])
  }
  const listed = (await place.run('deployments site')).stdout.trimEnd().split('\n')
  assert.match(listed[0] ?? '', /^three +ready +feature\/login +just now/)
  assert.match(listed[2] ?? '', /^trunk +live +just now/)
  const log = (await place.run('logs --project site')).stdout
  assert.match(log, /A deployment became ready +\S.* three +dpl_/)
  assert.match(log, /A deployment went live +\S.* trunk +dpl_/)

  const pull = await place.run('deploy site --branch trunk --pull-request 12')
  assert.match(pull.stderr, /Pull requests do not go live/)
  const live = await place.run('deploy site --branch feature/login --activate --json')
  assert.equal(JSON.parse(live.stdout).branchUrl, address)
  const back = await place.run('rollback --project site')
  assert.match(back.stderr, /site now serves “trunk”, dpl_\w+ from/)
})

test('a pull request never goes live, whatever the pipeline calls the branch', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'live' })
  await place.run('deploy site --branch main')
  const live = (await deploymentsOf(place, 'site'))[0]?.id
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'acme/site',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_EVENT_PATH: join(place.path, 'event.json'),
  }
  const target = {
    ...github,
    GITHUB_EVENT_NAME: 'pull_request_target',
    GITHUB_BASE_REF: 'main',
    GITHUB_HEAD_REF: 'main',
  }
  const pull = { pull_request: { number: 7, head: { repo: { full_name: 'mallory/site' } } } }
  const run = { workflow_run: { event: 'pull_request', head_branch: 'main', pull_requests: [] } }
  const gitlab = { GITLAB_CI: 'true', CI_COMMIT_BRANCH: 'main' }
  for (const [env, event, branch] of [
    [target, pull, 'pull/7'],
    [{ ...target, FORGEJO_ACTIONS: 'true' }, pull, 'pull/7'],
    [target, null, 'pull/main'],
    [{ ...github, GITHUB_EVENT_NAME: 'workflow_run' }, run, 'pull/main'],
    [{ ...github, GITHUB_EVENT_NAME: 'workflow_run' }, null, 'pull/unknown'],
    [{ ...github, GITHUB_EVENT_NAME: 'issue_comment' }, { issue: { number: 7, pull_request: {} } }, 'pull/7'],
    [{ ...gitlab, CI_PIPELINE_SOURCE: 'external_pull_request_event' }, null, 'pull/main'],
  ] as const) {
    await place.write('event.json', JSON.stringify(event))
    await place.write('site/index.html', JSON.stringify([env, event]))
    const { exitCode, stderr } = await place.run('deploy site', { env: { ...place.signedIn, ...env } })
    assert.equal(exitCode, 0, stderr)
    const [newest, ...older] = await deploymentsOf(place, 'site')
    assert.equal(newest?.active, false, JSON.stringify(env))
    assert.equal(older.find(({ active }) => active)?.id, live)
    assert.equal(newest?.meta.branch, branch)
  }
  await place.write('event.json', 'null')
  const created = await place.run('deploy site --project new', { env: { ...place.signedIn, ...target } })
  assert.equal(created.exitCode, 0, created.stderr)
  assert.deepEqual(
    (await deploymentsOf(place, 'new')).map(({ active }) => active),
    [false],
  )
})

test('a tag is a preview in a pipeline, and goes live if asked', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'older' })
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REF: 'refs/tags/v1',
    GITHUB_REF_NAME: 'v1',
    GITHUB_REF_TYPE: 'tag',
  }
  await place.run('deploy site --branch main')
  await place.write('site/index.html', 'live')
  await place.run('deploy site --branch main')
  const live = (await deploymentsOf(place, 'site'))[0]?.id
  for (const tag of [
    { GITLAB_CI: 'true', CI_COMMIT_TAG: 'v1', CI_COMMIT_REF_NAME: 'v1' },
    github,
    { CIRCLECI: 'true', CIRCLE_TAG: 'v1' },
    { BITBUCKET_BUILD_NUMBER: '1', BITBUCKET_TAG: 'v1' },
    { JENKINS_URL: 'https://ci.example', TAG_NAME: 'v1', BRANCH_NAME: 'v1' },
  ]) {
    const env = { ...place.signedIn, ...tag }
    const preview = await place.run('deploy site', { env })
    assert.match(preview.stderr, /Only main goes live\. To publish this, add --activate\./)
    const deployments = await deploymentsOf(place, 'site')
    assert.equal(deployments.find(({ active }) => active)?.id, live)
    assert.equal(deployments[0]?.meta.branch, 'tags/v1')
  }
  const asked = await place.run('deploy site --activate --json', { env: { ...place.signedIn, ...github } })
  const [newest] = await deploymentsOf(place, 'site')
  assert.deepEqual([newest?.id, newest?.active], [JSON.parse(asked.stdout).deployment, true])
  assert.equal(newest?.meta.branch, undefined, 'kept with what was live')
  const back = await place.run('rollback --project site --json')
  assert.equal(JSON.parse(back.stdout).deployment, live, 'previews of tags are passed over')
})

test('an empty value removes what the pipeline says, and a message may start with a dash', async () => {
  await using place = await createWorkplace(server(), { 'site/index.html': 'one' })
  const env = {
    ...place.signedIn,
    GITLAB_CI: 'true',
    CI_COMMIT_SHA: 'c0ffee',
    CI_COMMIT_BRANCH: 'next',
    CI_MERGE_REQUEST_IID: '7',
  }
  const metaOf = async (...more: string[]) => {
    const { exitCode, stderr } = await runMasthead(['deploy', 'site', ...more], { cwd: place.path, env })
    assert.equal(exitCode, 0, stderr)
    return (await deploymentsOf(place, 'site'))[0]?.meta
  }
  const given = ['--branch', '', '--pull-request=', '-m', '- fix: x']
  assert.deepEqual(await metaOf(...given), { commit: 'c0ffee', message: '- fix: x' })
})

test('a domain shows a branch, a page that says so while it is empty, and what is live again', async () => {
  await using place = await createWorkplace(server())
  await place.addProject('site')
  await place.publish('site', 'live')
  const hostname = 'next.acme.localhost'
  await place.goLive(await place.addDomain(hostname))
  const at = async () => {
    const { port } = new URL(server().origin)
    const [answer] = await once(get({ host: '127.0.0.1', port, headers: { host: hostname } }), 'response')
    return { status: answer.statusCode, robots: answer.headers['x-robots-tag'], body: await text(answer) }
  }
  const isServed = (status: number, body: RegExp) =>
    until(async () => {
      const answer = await at()
      return answer.status === status && body.test(answer.body)
    })
  const set = await place.run(`domains branch ${hostname} feature/next --project site`)
  assert.equal(set.exitCode, 0, set.stderr)
  assert.match(set.stderr, /next\.acme\.localhost shows the newest deployment of feature\/next\./)
  await isServed(404, /shows the branch feature\/next of the project site, which has no deployment/)
  const publish = (content: string) =>
    place.client.createDeployment({
      params: { project: 'site' },
      query: { branch: 'feature/next' },
      archive: tarGz({ 'index.html': content }),
      type: 'application/gzip',
    })
  for (const content of ['one', 'two']) {
    await publish(content)
    await isServed(200, new RegExp(`^${content}$`))
  }
  assert.equal((await at()).robots, 'noindex')
  for (const { id, active } of await deploymentsOf(place, 'site')) {
    if (!active) await place.client.deleteDeployment({ params: { project: 'site', deployment: id } })
  }
  await isServed(404, /no deployment/)
  const back = await place.run(`domains branch ${hostname} --remove --project site --json`)
  assert.equal(JSON.parse(back.stdout).branch, null)
  await isServed(200, /^live$/)
  assert.equal((await at()).robots, undefined)
})
