import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { day, hour } from '../../kernel/clock.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import { createRoot, issueLeaf } from './internal-ca.ts'

const run = promisify(execFile)
const name = 'www.acme.localhost'

/** A root, a leaf for the name, and an HTTPS server that uses it. */
async function serve() {
  const now = Date.now()
  const root = await createRoot(now)
  const keys = await generateKeyPair()
  const { chainPem } = await issueLeaf(root, { name, publicKey: keys.publicKey, now })
  const folder = await temporaryFolder()
  const rootFile = join(folder.path, 'root.pem')
  const leafFile = join(folder.path, 'leaf.pem')
  await writeFile(rootFile, root.certificatePem)
  await writeFile(leafFile, chainPem)
  const server = createServer({ cert: chainPem, key: privateKeyPem(keys) }, (_, response) =>
    response.end('hello'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    rootFile,
    leafFile,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await folder.remove()
    },
  }
}

test('openssl verifies a leaf strictly, for its own name only', async () => {
  await using site = await serve()
  const verify = (host: string) =>
    run('openssl', [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-verify_hostname',
      host,
      '-CAfile',
      site.rootFile,
      site.leafFile,
    ])
  assert.match((await verify(name)).stdout, /: OK/)
  await assert.rejects(verify('other.localhost'), /[Hh]ostname mismatch/)
})

test('openssl completes a handshake with it', async () => {
  await using site = await serve()
  const address = ['-connect', `127.0.0.1:${site.port}`, '-servername', name, '-verify_hostname', name]
  const asked = run('openssl', ['s_client', ...address, '-CAfile', site.rootFile, '-verify_return_error'])
  asked.child.stdin?.end()
  assert.match((await asked).stdout, /Verify return code: 0 \(ok\)/)
})

test('curl trusts it with the root and not without', { skip: skipWithout('curl') }, async () => {
  await using site = await serve()
  const url = `https://${name}:${site.port}/`
  const address = [
    '--silent',
    '--show-error',
    '--noproxy',
    '*',
    '--resolve',
    `${name}:${site.port}:127.0.0.1`,
  ]
  const { stdout } = await run(requirePeer('curl'), [...address, '--cacert', site.rootFile, url])
  assert.equal(stdout, 'hello')
  await assert.rejects(run(requirePeer('curl'), [...address, url]), { code: 60 })
})

test('a leaf is valid from an hour ago for a week, but no longer than its root', async () => {
  const now = Date.parse('2026-08-01T12:00:00Z')
  const root = await createRoot(now)
  const { publicKey } = await generateKeyPair()
  const early = await issueLeaf(root, { name, publicKey, now: now + day })
  assert.deepEqual([early.notBefore, early.notAfter], [now + day - hour, now + 8 * day])
  const end = now + 3652 * day
  const late = await issueLeaf(root, { name, publicKey, now: end - day })
  assert.equal(late.notAfter, end)
  await assert.rejects(issueLeaf(root, { name, publicKey, now: end }), /expired at /)
})

test('every certificate has a unique serial number of 16 bytes', async () => {
  const now = Date.now()
  const root = await createRoot(now)
  const { publicKey } = await generateKeyPair()
  const serials = new Set<string>()
  for (let count = 0; count < 20; count++)
    serials.add((await issueLeaf(root, { name, publicKey, now })).serial)
  assert.equal(serials.size, 20)
  for (const serial of serials) assert.match(serial, /^[4-7][0-9a-f]{31}$/)
})
