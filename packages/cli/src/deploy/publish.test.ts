import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import type { ProblemError } from '@masthead/client/errors.ts'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { program } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { hashFiles } from './hash-files.ts'
import { listFolder } from './list-files.ts'
import { uploadFiles } from './upload.ts'

const server = serverForFile()

/** A proxy before the server that holds matching requests back until they are released. */
async function holding(held: RegExp) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const proxy = createServer(async (incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`
    if (held.test(line) && /files/.test(line)) {
      reached.resolve()
      await released.promise
    }
    const { port } = new URL(server().origin)
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

async function deployOf(folder: string, origin: string, large = Buffer.alloc(2_000_000)) {
  await mkdir(join(folder, 'site'), { recursive: true })
  await writeFile(join(folder, 'site', 'index.html'), 'hi')
  await writeFile(join(folder, 'site', 'large.bin'), large)
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    MASTHEAD_SERVER: origin,
    MASTHEAD_KEY: server().account.key,
  }
  return spawn(process.execPath, [program, 'deploy', 'site'], { cwd: folder, env })
}

async function ended(child: Awaited<ReturnType<typeof deployOf>>) {
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}

const deployments = async () =>
  (await server().account.client.listDeployments({ params: { project: 'site' } })).items

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

test('a file that changes while it is sent, but not in size, is named', async () => {
  await using folder = await temporaryFolder('masthead-change')
  // More than connections buffer.
  const large = Buffer.alloc(64 * 1024 ** 2)
  using proxy = await holding(new RegExp(hash('sha256', large)))
  const child = await deployOf(folder.path, proxy.url, large)
  const end = ended(child)
  await proxy.reached
  await writeFile(join(folder.path, 'site', 'large.bin'), large.fill(1))
  proxy.release()
  const { code, stderr } = await end
  assert.equal(code, 1, stderr)
  assert.match(stderr, /large\.bin changed while it was being published/)
  assert.deepEqual(await deployments(), [])
})

/** Files that are hashed, and a deployment that waits for their contents. */
async function hashedFolder(contents: Record<string, string>) {
  const folder = await temporaryFolder('masthead-upload')
  const write = (name: string, content: string) => writeFile(join(folder.path, name), content)
  for (const [name, content] of Object.entries(contents)) await write(name, content)
  const { signal } = new AbortController()
  const files = await hashFiles(await listFolder(folder.path, defaultUploadLimits), signal, () => {})
  const client = createClient({
    server: server().origin,
    key: server().account.key,
    retry: { attempts: 1 },
  })
  const slug = `upload-${randomUUID().slice(0, 8)}`
  await client.createProject({ body: { slug } })
  const params = { project: slug }
  const listed = Object.fromEntries(files.map(({ path, sha256, size }) => [path, { sha256, size }]))
  const { id, missing } = await client.createDeployment({ params, body: { files: listed } })
  return {
    files,
    missing,
    write,
    upload: (compress = true, by = client) =>
      uploadFiles(files, { client: by, project: slug, deployment: id, compress, signal }, () => {}),
    finalize: () => client.finalizeDeployment({ params: { ...params, deployment: id } }),
    remove: folder.remove,
    async [Symbol.asyncDispose]() {
      await folder.remove()
      await client.deleteProject({ params })
    },
  }
}

const large = 'x'.repeat(2 * 1024 ** 2)

test('digests are those of the content, read at once or in pieces', async () => {
  for (const content of ['', 'small', large]) {
    await using folder = await hashedFolder({ 'file.txt': content })
    assert.equal(folder.files[0]?.sha256, hash('sha256', content))
    assert.equal(folder.files[0]?.size, content.length)
    await folder.upload()
    assert.equal((await folder.finalize()).state, 'ready')
  }
})

test('many files sent together arrive, compressed or not', async () => {
  for (const compress of [true, false]) {
    await using folder = await hashedFolder({ a: 'a'.repeat(5_000), b: '', c: randomUUID() })
    await folder.upload(compress)
    assert.equal((await folder.finalize()).state, 'ready')
  }
})

test('files that are not compressed are sent as gzip to a server that knows no other archives', async (t) => {
  const types: (string | undefined)[] = []
  const older = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming
    const type = incoming.headers['content-type']
    types.push(type)
    const known = type === 'application/x-tar' ? 'application/x-unknown' : type
    const headers = { ...incoming.headers, 'content-type': known }
    const { port } = new URL(server().origin)
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      pipeline(answer, outgoing, () => {})
    })
    pipeline(incoming, passed, () => {})
  })
  await once(older.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    older.close()
    older.closeAllConnections()
  })
  const names = Array.from({ length: 600 }, (_, index) => `f${index}`)
  await using folder = await hashedFolder(Object.fromEntries(names.map((name) => [name, name])))
  const client = createClient({
    server: `http://127.0.0.1:${(older.address() as AddressInfo).port}`,
    key: server().account.key,
  })
  await folder.upload(false, client)
  assert.equal((await folder.finalize()).state, 'ready')
  assert.deepEqual([...new Set(types)], ['application/x-tar', 'application/gzip'])
})

test('a file whose times changed, but not its content, is uploaded', async () => {
  const content = randomUUID()
  await using folder = await hashedFolder({ a: randomUUID(), b: content })
  await folder.write('b', content)
  await folder.upload()
  assert.equal((await folder.finalize()).state, 'ready')
})

test('more than is kept in memory arrives too, and what changed of it is named', async () => {
  const mebibytes = Array.from({ length: 70 }, (_, index) => [
    `${index + 100}`,
    `${index + 100} `.repeat(250_000),
  ])
  await using folder = await hashedFolder(Object.fromEntries(mebibytes))
  assert.ok(folder.files.some(({ kept }) => kept === undefined))
  assert.ok(folder.files.some(({ kept }) => kept !== undefined))
  const [dropped] = folder.files.filter(({ kept }) => kept === undefined)
  const name = dropped?.path.slice(1) ?? ''
  await folder.write(name, 'another')
  await assert.rejects(folder.upload(), { message: `${name} changed while it was being published.` })
  await folder.write(name, `${name} `.repeat(250_000))
  await folder.upload()
  assert.equal((await folder.finalize()).state, 'ready')
})

test('a file that changed or grew after it was hashed is named', async () => {
  const changed = { code: 'file_changed', message: 'file.txt changed while it was being published.' }
  for (const content of ['tiny!', large.replace('x', 'z')]) {
    await using folder = await hashedFolder({ 'file.txt': content })
    await folder.write('file.txt', content.replace(/.$/, 'y'))
    await assert.rejects(folder.upload(), changed)
    await folder.write('file.txt', `${content}${content}`)
    await assert.rejects(folder.upload(), changed)
  }
})

test('of many files sent together, the one that changed is named', async () => {
  await using folder = await hashedFolder({ a: 'a', b: 'b', c: 'c' })
  await folder.write('b', 'B')
  await assert.rejects(folder.upload(), {
    code: 'file_changed',
    message: 'b changed while it was being published.',
  })
  await assert.rejects(folder.finalize(), (error: ProblemError) => {
    assert.deepEqual(new Set(error.document.missing as string[]), new Set(folder.missing))
    return folder.missing.length === 3
  })
})
