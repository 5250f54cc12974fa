import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, beforeEach, describe, test } from 'node:test'
import type { TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import { startOidcIssuer } from '@masthead/testing/peers/oidc/issuer.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { parse, parseAllDocuments } from 'yaml'
import { RecordingProxy } from '../test/recording-proxy.ts'
import { serverForFile } from '../test/test-server.ts'

const integrations = join(import.meta.dirname, '../../../integrations')
const github = join(integrations, 'github')
const server = serverForFile()
const claims = { repository: 'acme/site', ref: 'refs/heads/main' }

let peer: Awaited<ReturnType<typeof startOidcIssuer>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let trusted: TrustedPublisher
let prepared: Promise<void> | undefined
const prepare = async () => {
  peer = await startOidcIssuer()
  folder = await temporaryFolder('masthead-job')
  const { client } = server().account
  assert.ok((await client.getServer()).commandLine, 'The recipes get what `npm run build` has built.')
  await client.createProject({ body: { slug: 'site' } })
  const body = { issuer: peer.issuer, claims, project: 'site' }
  trusted = await client.addTrustedPublisher({ body })
  await mkdir(join(folder.path, 'dist'))
  await writeFile(join(folder.path, 'dist/index.html'), 'published by a pipeline')
}
/** The server starts with the first test, so this does too. */
beforeEach(() => {
  prepared ??= prepare()
  return prepared
})
after(async () => {
  await peer[Symbol.asyncDispose]()
  await folder.remove()
})

type Variables = Record<string, string>

/** Node.js and npm of the machine, and nothing of this repository. */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.includes('node_modules') && existsSync(join(path, 'npm')))
  .concat('/usr/bin', '/bin')
  .join(delimiter)

async function run(shell: readonly [string, ...string[]], variables: Variables) {
  const [program, ...args] = shell
  const npm = {
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_globalconfig: '/dev/null',
  }
  const env = { PATH: systemPath, HOME: folder.path, CI: 'true', ...npm, ...variables }
  const child = spawn(program, args, { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number, stdout, stderr }
}

interface Step {
  id?: string
  if?: string
  uses?: string
  run?: string
  env?: Variables
}

let jobs = 0

/** Runs the steps as the runner of GitHub does: each with its shell, its variables and its files. */
async function runAction(inputs: Variables, job: Variables) {
  const action = parse(await readFile(join(github, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { default?: string; required?: boolean }>
    outputs: Record<string, { value: string }>
    runs: { using: string; steps: Step[] }
  }
  assert.equal(action.runs.using, 'composite')
  const values: Variables = { 'github.token': 'the token of the job' }
  const fill = (written: string) =>
    written.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values[name] ?? '')
  for (const [name, input] of Object.entries(action.inputs)) {
    assert.ok(!input.required || inputs[name] !== undefined, name)
    values[`inputs.${name}`] = inputs[name] ?? fill(input.default ?? '')
  }
  const temporary = join(folder.path, `job-${jobs++}`)
  await mkdir(temporary)
  const [output, summary] = [join(temporary, 'output'), join(temporary, 'summary')]
  const said = []
  for (const step of action.runs.steps) {
    const [, name = '', wanted] = /^([\w.]+) == '(\w*)'$/.exec(step.if ?? '') ?? []
    if (step.if !== undefined && values[name] !== wanted) continue
    await Promise.all([writeFile(output, ''), writeFile(summary, '', { flag: 'a' })])
    const variables = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([key, value]) => [key, fill(value)]),
    )
    const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temporary }
    const script = join(temporary, 'step.sh')
    await writeFile(script, fill(step.run ?? ''))
    const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script] as const
    const result = await run(shell, { ...job, ...files, GITHUB_ACTION_PATH: github, ...variables })
    said.push(result)
    if (result.code !== 0) break
    for (const line of (await readFile(output, 'utf8')).split('\n')) {
      const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      if (key !== undefined) values[`steps.${step.id}.outputs.${key}`] = value
    }
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value)])
  return {
    code: said.at(-1)?.code,
    stdout: said.map(({ stdout }) => stdout).join(''),
    stderr: said.map(({ stderr }) => stderr).join(''),
    outputs: Object.fromEntries(outputs) as Variables,
    summary: await readFile(summary, 'utf8'),
  }
}

const githubJob = (job: Variables, more: Variables = {}) => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: job.repository ?? '',
  GITHUB_REF: job.ref ?? '',
  GITHUB_REF_NAME: (job.ref ?? '').replace('refs/heads/', ''),
  GITHUB_REF_TYPE: 'branch',
  GITHUB_SHA: 'a'.repeat(40),
  GITHUB_SERVER_URL: 'https://github.com',
  ...peer.startJob(job),
  ...more,
})

const inputs = () => ({ server: trusted.audience, project: 'site', folder: 'dist' })

/** The addresses of names under .localhost are not in every machine's DNS. */
async function visit(url: string): Promise<string> {
  const { host } = new URL(url)
  const response = await run(['curl', '-sS', '-H', `Host: ${host}`, `${server().origin}/`], {})
  return response.stdout
}

describe('the GitHub Action', () => {
  test('publishes with the token of the job, and says where', async () => {
    const job = await runAction(inputs(), githubJob(claims))
    assert.equal(job.code, 0, job.stderr)
    const { url = '', deployment = '' } = job.outputs
    assert.ok(job.stdout.includes(url) && url.startsWith('http'), job.stdout)
    assert.match(deployment, /^dpl_/)
    assert.match(job.summary, /### Published site/)
    assert.ok(job.summary.includes(url))
    assert.equal(await visit(url), 'published by a pipeline')
    const deployments = await server().account.client.listDeployments({ params: { project: 'site' } })
    assert.equal(deployments.items[0]?.createdBy, `${new URL(peer.issuer).host} (acme/site)`)
    assert.equal(deployments.items[0]?.meta?.commit, 'a'.repeat(40))
  })

  test('shows a preview, or goes live, if asked', async () => {
    const pull = {
      GITHUB_HEAD_REF: 'main',
      GITHUB_BASE_REF: 'main',
      GITHUB_EVENT_NAME: 'pull_request_target',
    }
    for (const [activate, more, title] of [
      ['', pull, 'Preview of'],
      ['false', {}, 'Preview of'],
      ['true', pull, 'Published'],
    ] as const) {
      const job = await runAction({ ...inputs(), activate }, githubJob(claims, more))
      assert.equal(job.code, 0, job.stderr)
      assert.ok(job.summary.startsWith(`### ${title} site\n`), job.summary)
    }
    const wrong = await runAction({ ...inputs(), activate: 'yes' }, githubJob(claims))
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /activate must be true, false or empty/)
  })

  test('fails with the reason where the job is not trusted, and the account hears of it', async () => {
    const other: [Variables, RegExp][] = [
      [{ ...claims, repository: 'evil/site' }, /repository evil\/site/],
      [{ ...claims, ref: 'refs/heads/dev' }, /ref refs\/heads\/dev/],
    ]
    for (const [job, reason] of other) {
      const failed = await runAction(inputs(), githubJob(job))
      assert.equal(failed.code, 3, failed.stderr)
      assert.match(failed.stderr, reason)
      const { items } = await server().account.client.listEvents({ query: { kind: 'publisher' } })
      assert.match(String(items[0]?.data.detail), reason)
    }
  })

  test('comments on the pull request once, and changes its comment later', async () => {
    const comments = Array.from({ length: 130 }, (_, index) => ({ id: index + 1, body: 'Looks good' }))
    const api = createServer(async (req, res) => {
      assert.equal(req.headers.authorization, 'Bearer the token of the job')
      const sent = await text(req)
      if (req.method === 'POST') comments.push({ id: 131, body: JSON.parse(sent).body })
      if (req.method === 'PATCH') Object.assign(comments[130] ?? {}, JSON.parse(sent))
      const { searchParams } = new URL(req.url ?? '', 'http://api.github.com')
      const size = Number(searchParams.get('per_page') ?? 30)
      const from = (Number(searchParams.get('page') ?? 1) - 1) * size
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(JSON.stringify(comments.slice(from, from + size)))
    }).listen(0, '127.0.0.1')
    await once(api, 'listening')
    const event = join(folder.path, 'event.json')
    await writeFile(event, JSON.stringify({ pull_request: { number: 7 } }))
    const port = (api.address() as AddressInfo).port
    const more = { GITHUB_API_URL: `http://127.0.0.1:${port}`, GITHUB_EVENT_PATH: event }
    for (const _ of [1, 2]) {
      const job = await runAction({ ...inputs(), comment: 'true' }, githubJob(claims, more))
      assert.equal(job.code, 0, job.stderr)
      assert.equal(comments.length, 131)
      assert.ok(comments[130]?.body.includes(job.outputs.url ?? '?'))
    }
    api.closeAllConnections()
    api.close()
  })
})

test('the GitLab component publishes with the ID token that it declares', async () => {
  const file = await readFile(join(integrations, 'gitlab/templates/publish.yml'), 'utf8')
  const [spec, job] = parseAllDocuments(file).map((document) => document.toJS()) as [
    { spec: { inputs: Record<string, { default?: string }> } },
    { publish: { script: string[]; variables: Variables; id_tokens: Record<string, { aud: string }> } },
  ]
  const given: Variables = inputs()
  const fill = (written: string) =>
    written.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
      assert.ok(Object.hasOwn(spec.spec.inputs, name), name)
      return given[name] ?? spec.spec.inputs[name]?.default ?? ''
    })
  const { script, variables, id_tokens } = job.publish
  const environment: Variables = { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'main' }
  for (const [name, value] of Object.entries(variables)) environment[name] = fill(value)
  // One shell for all lines, which ends with the first failure.
  const publish = async (activate: string) => {
    for (const [name, { aud }] of Object.entries(id_tokens))
      environment[name] = await peer.newToken({ audience: fill(aud), claims })
    const shell = ['sh', '-ec', script.map(fill).join('\n')] as const
    const { code, stdout, stderr } = await run(shell, { ...environment, ACTIVATE: activate })
    assert.equal(code, 0, stderr)
    const report = await readFile(join(folder.path, 'masthead.env'), 'utf8')
    assert.equal(report, `MASTHEAD_URL=${stdout.trim().split('\n').at(-1)}\n`)
    return report
  }
  assert.match(await publish(''), /\/\/site\./)
  assert.match(await publish('false'), /\/\/\w+--site\./)
})

test('the Forgejo workflow publishes with the token of its runner', async () => {
  const workflow = parse(await readFile(join(integrations, 'forgejo/publish.yml'), 'utf8')) as {
    jobs: { publish: { 'enable-openid-connect': boolean; env: Variables; steps: Step[] } }
  }
  const { 'enable-openid-connect': hasTokens, env, steps } = workflow.jobs.publish
  assert.equal(hasTokens, true)
  const output = join(folder.path, 'forgejo-output')
  const own = { MASTHEAD_SERVER: trusted.audience, PROJECT: 'site', FOLDER: 'dist' }
  assert.deepEqual(Object.keys(own), Object.keys(env), 'what a person changes')
  const variables = { ...own, ...githubJob(claims), FORGEJO_ACTIONS: 'true', GITHUB_OUTPUT: output }
  for (const step of steps) {
    if (step.uses !== undefined) continue
    const { code, stderr } = await run(['bash', '-ec', step.run ?? ''], variables)
    assert.equal(code, 0, stderr)
  }
  assert.match(await readFile(output, 'utf8'), /^url=http/)
})

test('every recipe outlasts a restart of the server, and says in a line if it does not come back', async () => {
  const programs = await Promise.all(
    ['shell/publish.sh', 'github/action.yml', 'forgejo/publish.yml', 'gitlab/templates/publish.yml'].map(
      async (file) => {
        const recipe = await readFile(join(integrations, file), 'utf8')
        return /cli=\$\(node .*?'\)\n/s.exec(recipe)?.[0].replaceAll(/\n +/g, '\n')
      },
    ),
  )
  assert.ok(programs[0])
  assert.equal(new Set(programs).size, 1, 'all do the same')

  const script = join(integrations, 'shell/publish.sh')
  await using proxy = await RecordingProxy.start(server().origin)
  proxy.cut.push('getServer', 'getServer')
  const key = { MASTHEAD_SERVER: proxy.url, MASTHEAD_KEY: server().account.key }
  const published = await run([script, 'dist', 'site', '--no-activate'], key)
  assert.equal(published.code, 0, published.stderr)
  assert.deepEqual(proxy.cut, [])
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const MASTHEAD_SERVER = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
  gone.close()
  // The clock runs fast, so that nobody waits.
  const NODE_OPTIONS = '--import=data:text/javascript,let%20t=0;Date.now=()=>t+=20_000'
  const nobody = await run([script, 'dist', 'site'], { MASTHEAD_SERVER, NODE_OPTIONS })
  assert.equal(nobody.code, 1)
  assert.equal(nobody.stderr, `Could not get the command line from ${MASTHEAD_SERVER}: ECONNREFUSED\n`)
})

test('the shell script publishes with a token, or a key, and says what is missing', async () => {
  const script = join(integrations, 'shell/publish.sh')
  const MASTHEAD_SERVER = trusted.audience
  const MASTHEAD_ID_TOKEN = await peer.newToken({ audience: MASTHEAD_SERVER, claims })
  for (const secret of [{ MASTHEAD_ID_TOKEN }, { MASTHEAD_KEY: server().account.key }]) {
    const { code, stdout, stderr } = await run([script, 'dist', 'site'], { MASTHEAD_SERVER, ...secret })
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^http/)
  }
  const key = { MASTHEAD_SERVER, MASTHEAD_KEY: server().account.key }
  assert.match((await run([script, 'dist', 'site', '--no-activate'], key)).stdout, /\/\/\w+--site\./)
  assert.match((await run([script, 'dist'], { MASTHEAD_SERVER })).stderr, /project is missing/)
  assert.match((await run([script, 'dist', 'site'], {})).stderr, /address of the server/)
  const nobody = await run([script, 'dist', 'site'], { MASTHEAD_SERVER })
  assert.equal(nobody.code, 3)
  assert.match(nobody.stderr, /not signed in/)
})
