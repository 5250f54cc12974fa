import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { packTar } from '@masthead/client/upload.ts'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

/** Examples name things that are not there, such as an id, so that these answers are right too. */
const namesNothing = ['not_found']

test('every example of the API reference runs, and gets an answer that its route documents', async () => {
  await using masthead = await MastheadProcess.start({
    env: { MASTHEAD_LAB_PORT: String(await freePort()) },
  })
  await using desk = await temporaryFolder('masthead-reference')
  const env = { PATH: '/usr/bin:/bin', HOME: desk.path, MASTHEAD_KEY: await prepare(masthead, desk.path) }
  const faults: string[] = []
  for (const [name, command] of inOrder(await readExamples(masthead.origin))) {
    const { problems = [], status }: Endpoint = endpoints[name]
    const stdout = await run(name, command, { cwd: desk.path, env })
    if (Number(stdout) === (status ?? 200)) continue
    const answer = await readFile(join(desk.path, 'answer'), 'utf8').catch(() => '')
    const code = /"code":\s*"(\w+)"/.exec(answer)?.[1] ?? ''
    if (![...problems, ...namesNothing].includes(code as never))
      faults.push(`${command}answered with ${stdout}: ${answer}`)
  }
  assert.deepEqual(faults, [])
})

/** The status of the answer, which is left in the file `answer`. */
async function run(name: EndpointName, command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const runFor = async (seconds: number) => {
    const line = `${command.trimEnd()} --silent --max-time ${seconds} --output answer --write-out '%{http_code}'`
    const ran = promisify(execFile)('sh', ['-c', line], options)
    return (await ran.catch((failure: { stdout: string }) => failure)).stdout
  }
  if (name !== 'streamChanges') return await runFor(60)
  // A stream has no end: a second shows its status, or more in a busy machine.
  const status = await runFor(1)
  return status === '000' ? await runFor(20) : status
}

/** The person, the project, the key and the files that the examples name. */
async function prepare(masthead: MastheadProcess, desk: string): Promise<string> {
  const { origin, firstLink, dataFolder } = masthead
  const token = new URL(firstLink).hash.slice(1)
  const account = { accountName: 'Acme', email: 'ada@example.com', password: 'nine pale lanterns' }
  const headers = { 'content-type': 'application/json', origin }
  const setUp = await fetch(`${origin}/v1/setup`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token, name: 'Ada', ...account }),
  })
  assert.equal(setUp.status, 201, await setUp.text())
  const page = Buffer.from('<!doctype html><title>Hello</title>')
  const archive = gzipSync(packTar([{ name: 'index.html', content: page }]))
  const { key, createProject, publishArchive } = await createPublisher(masthead)
  await createProject('my-site')
  await publishArchive('my-site', archive)
  await writeFile(join(desk, 'index.html'), page)
  await writeFile(join(desk, 'site.tar.gz'), archive)
  await symlink(dataFolder, join(desk, 'data'))
  return key
}

async function readExamples(origin: string): Promise<Map<EndpointName, string>> {
  const overview = await (await fetch(`${origin}/llms.txt`)).text()
  const paths = Array.from(
    overview.matchAll(/\]\((\/docs\/reference\/[\w-]+\.md)\)/g),
    ([, path = '']) => path,
  )
  const pages = await Promise.all(paths.map(async (path) => (await fetch(origin + path)).text()))
  const examples = pages.flatMap((markdown) =>
    [...markdown.matchAll(/^## .* \{#(\w+)\}\n[\s\S]*?^```sh\n([\s\S]*?)^```/gm)].map(
      ([, name, command = '']) => [name as EndpointName, command] as const,
    ),
  )
  assert.equal(examples.length, Object.keys(endpoints).length)
  return new Map(examples)
}

/** A person signs in first, what others need is deleted late, and these come last. */
const last: readonly string[] = ['changePlan', 'deleteAccount', 'signOut']

function inOrder(examples: ReadonlyMap<EndpointName, string>): [EndpointName, string][] {
  const rank = (name: EndpointName) => {
    if (name === 'signIn') return 0
    if (last.includes(name)) return 3 + last.indexOf(name)
    return endpoints[name].route.startsWith('DELETE ') ? 2 : 1
  }
  return [...examples].sort(([one], [other]) => rank(one) - rank(other))
}
