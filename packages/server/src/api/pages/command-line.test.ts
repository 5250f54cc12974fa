import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import Fastify from 'fastify'
import { readCommandLine } from '../command-line-package.ts'
import { sendProblem } from '../problem-response.ts'
import { serveCommandLine } from './command-line.ts'

const archive = Buffer.from('the bytes of an archive')
const sha256 = createHash('sha256').update(archive).digest('hex')
const path = `/cli/masthead-1.2.3-${sha256.slice(0, 8)}.tgz`

async function server({ built = true } = {}) {
  const folder = await temporaryFolder('masthead-cli-dist')
  if (built) {
    await writeFile(join(folder.path, 'masthead.tgz'), archive)
    await writeFile(join(folder.path, 'package.json'), '{ "version": "1.2.3" }')
  }
  const commandLine = await readCommandLine(folder.path, 'https://masthead.example')
  const app = Fastify()
  app.setErrorHandler(sendProblem)
  serveCommandLine(app, commandLine)
  app.get('/*', async () => 'the dashboard')
  return {
    commandLine,
    send: (method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}) =>
      app.inject({ method, url, headers }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await folder.remove()
    },
  }
}

test('the address names version and content, and its bytes never change', async () => {
  await using site = await server()
  assert.equal(site.commandLine?.url, `https://masthead.example${path}`)
  assert.equal(site.commandLine?.sha256, sha256)
  const { statusCode, headers, rawPayload } = await site.send('GET', path)
  assert.equal(statusCode, 200)
  assert.deepEqual(rawPayload, archive)
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  const again = await site.send('GET', path, { 'if-none-match': String(headers.etag) })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  const head = await site.send('HEAD', path)
  assert.deepEqual([head.statusCode, head.headers['content-length']], [200, String(archive.length)])
})

test('another version, or none, leads to this one and is not remembered', async () => {
  await using site = await server()
  for (const other of [
    'masthead.tgz',
    'masthead-1.2.3.tgz',
    'masthead-0.0.9-abcdef01.tgz',
    'masthead-2.0.0-rc.1.tgz',
  ]) {
    const { statusCode, headers } = await site.send('GET', `/cli/${other}?x=1`)
    assert.deepEqual([statusCode, headers.location, headers['cache-control']], [302, path, 'no-store'], other)
  }
})

test('names that are no version are pages of the dashboard', async () => {
  await using site = await server()
  for (const other of [
    '/cli',
    '/cli/',
    '/cli/other.tgz',
    '/cli/masthead-1.tgz/x',
    '/cli/masthead-..%2f..%2fetc.tgz',
    '/cli/xmasthead.tgz',
  ]) {
    assert.equal((await site.send('GET', other)).body, 'the dashboard', other)
  }
})

test('a server without a built command line says what to do', async () => {
  await using site = await server({ built: false })
  assert.equal(site.commandLine, null)
  const { statusCode, body } = await site.send('GET', '/cli/masthead.tgz')
  assert.equal(statusCode, 404)
  assert.match(body, /not built/)
})
