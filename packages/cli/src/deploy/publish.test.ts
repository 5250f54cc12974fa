import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '@masthead/client/client.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { program } from '../../test/run-masthead.ts'

let masthead: MastheadProcess
let key: string
let api: Client
before(async () => {
  masthead = await MastheadProcess.start()
  const operatorKey = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
  const operator = createClient({ server: masthead.origin, key: operatorKey })
  const made = await operator.createAccount({ body: { name: 'Publisher', plan: 'business' } })
  key = made.key.secret
  api = createClient({ server: masthead.origin, key })
})
after(() => masthead.stop())

/** Stands before the server and holds the requests that match back until it is told to let them go. */
async function holding(held: RegExp) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const proxy = createServer(async (incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`
    if (held.test(line) && /files/.test(line)) {
      reached.resolve()
      await released.promise
    }
    const { port } = new URL(masthead.origin)
    const { method, url, headers } = incoming
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, async (answer) => {
      if (held.test(line)) {
        reached.resolve()
        await released.promise
      }
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      pipeline(answer, outgoing, () => {})
    })
    pipeline(incoming, passed, () => {})
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    reached: reached.promise,
    release: released.resolve,
    [Symbol.dispose]() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

async function deployOf(folder: string, server: string) {
  await mkdir(join(folder, 'site'), { recursive: true })
  await writeFile(join(folder, 'site', 'index.html'), 'hi')
  await writeFile(join(folder, 'site', 'large.bin'), Buffer.alloc(2_000_000))
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    MASTHEAD_SERVER: server,
    MASTHEAD_KEY: key,
  }
  return spawn(process.execPath, [program, 'deploy', 'site'], { cwd: folder, env })
}

async function ended(child: Awaited<ReturnType<typeof deployOf>>) {
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}

const deployments = async () => (await api.listDeployments({ params: { project: 'site' } })).items

const uploading = /files/
const cases: [what: string, held: RegExp, signals: NodeJS.Signals[]][] = [
  ['Ctrl-C', uploading, ['SIGINT']],
  ['Ctrl-C that npx passes on again', uploading, ['SIGINT', 'SIGINT']],
  ['the end of a CI job', uploading, ['SIGTERM']],
  ['Ctrl-C while the files are announced', /^POST [^ ]*\/deployments$/, ['SIGINT']],
]

for (const [what, held, signals] of cases) {
  test(`${what} cancels the upload at once`, async () => {
    await using folder = await temporaryFolder('masthead-cancel')
    using proxy = await holding(held)
    const child = await deployOf(folder.path, proxy.url)
    const end = ended(child)
    await proxy.reached
    assert.deepEqual(
      (await deployments()).map(({ state }) => state),
      ['uploading'],
    )
    for (const signal of signals) child.kill(signal)
    // An announcement is answered late, to somebody who has pressed Ctrl-C.
    if (held !== uploading) setTimeout(proxy.release, 200)
    const { code, stderr } = await end
    assert.equal(code, 130, stderr)
    assert.match(stderr, /Interrupted\.\n$/)
    assert.deepEqual(await deployments(), [])
  })
}

test('an upload that fails is cancelled as well', async () => {
  await using folder = await temporaryFolder('masthead-cancel')
  using proxy = await holding(uploading)
  const child = await deployOf(folder.path, proxy.url)
  const end = ended(child)
  await proxy.reached
  await writeFile(join(folder.path, 'site', 'large.bin'), 'another')
  proxy.release()
  const { code, stderr } = await end
  assert.equal(code, 1, stderr)
  assert.match(stderr, /changed while it was being published/)
  assert.deepEqual(await deployments(), [])
})
