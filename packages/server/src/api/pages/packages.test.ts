import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import Fastify from 'fastify'
import { readPackages } from '../offered-packages.ts'
import { sendProblem } from '../problem-response.ts'
import { servePackages } from './packages.ts'

const archive = Buffer.from('the bytes of an archive')
const sha256 = createHash('sha256').update(archive).digest('hex')

const kinds = {
  commandLine: ['/cli/', 'masthead'],
  client: ['/packages/', 'masthead-client'],
  contract: ['/packages/', 'masthead-contract'],
} as const

async function server({ built = true } = {}) {
  const folder = await temporaryFolder('masthead-packages')
  if (built) {
    for (const [, name] of Object.values(kinds)) await writeFile(join(folder.path, `${name}.tgz`), archive)
    await writeFile(join(folder.path, 'package.json'), '{ "version": "1.2.3" }')
  }
  const folders = { commandLine: folder.path, client: folder.path, contract: folder.path }
  const packages = await readPackages(folders, 'https://masthead.example')
  const app = Fastify()
  app.setErrorHandler(sendProblem)
  servePackages(app, packages)
  app.get('/*', async () => 'the dashboard')
  return {
    packages,
    send: (method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}) =>
      app.inject({ method, url, headers }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await folder.remove()
    },
  }
}

const pathOf = ([folder, name]: readonly [string, string]) =>
  `${folder}${name}-1.2.3-${sha256.slice(0, 8)}.tgz`

test('the address names version and content, and its bytes never change', async () => {
  await using site = await server()
  for (const kind of ['commandLine', 'client', 'contract'] as const) {
    const path = pathOf(kinds[kind])
    assert.equal(site.packages[kind]?.url, `https://masthead.example${path}`)
    assert.equal(site.packages[kind]?.sha256, sha256)
    const { statusCode, headers, rawPayload } = await site.send('GET', path)
    assert.equal(statusCode, 200)
    assert.deepEqual(rawPayload, archive)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    const again = await site.send('GET', path, { 'if-none-match': String(headers.etag) })
    assert.deepEqual([again.statusCode, again.body], [304, ''])
    const head = await site.send('HEAD', path)
    assert.deepEqual([head.statusCode, head.headers['content-length']], [200, String(archive.length)])
  }
})

test('another version, or none, leads to this one and is not remembered', async () => {
  await using site = await server()
  for (const kind of Object.values(kinds)) {
    for (const version of ['', '-1.2.3', '-0.0.9-abcdef01', '-2.0.0-rc.1']) {
      const url = `${kind[0]}${kind[1]}${version}.tgz?x=1`
      const { statusCode, headers } = await site.send('GET', url)
      assert.deepEqual(
        [statusCode, headers.location, headers['cache-control']],
        [302, pathOf(kind), 'no-store'],
        url,
      )
    }
  }
})

test('names that are no version are pages of the dashboard', async () => {
  await using site = await server()
  for (const other of [
    '/cli',
    '/cli/',
    '/cli/other.tgz',
    '/cli/masthead-client.tgz',
    '/cli/masthead-1.tgz/x',
    '/cli/masthead-..%2f..%2fetc.tgz',
    '/cli/xmasthead.tgz',
    '/packages',
    '/packages/masthead.tgz',
    '/packages/masthead-clients-1.tgz',
    '/packages/masthead-client-..%2f..%2fetc.tgz',
  ]) {
    assert.equal((await site.send('GET', other)).body, 'the dashboard', other)
  }
})

test('a server without a built package says what to do', async () => {
  await using site = await server({ built: false })
  for (const [folder, name] of Object.values(kinds)) {
    const { statusCode, body } = await site.send('GET', `${folder}${name}.tgz`)
    assert.equal(statusCode, 404)
    assert.match(body, /was not built on this server\. Run `npm run build`/)
  }
})
