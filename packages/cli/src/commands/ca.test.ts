import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace } from '../../test/workplace.ts'

const pem = new X509Certificate(rootCertificates[0] ?? '').toString()

async function workplaceWithRoot() {
  const place = await workplace()
  place.server.instead.getCaRoot = () => `\x1b]0;hello\x07\n${pem}`
  return place
}

test('the root alone goes to standard output, and how to have it trusted beside it', async () => {
  await using place = await workplaceWithRoot()
  const { exitCode, stdout, stderr } = await place.run('ca', { env: place.signedOut })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, pem)
  assert.match(stderr, /^SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}$/m)
  for (const way of ['macOS', 'Debian', 'Windows', 'Firefox']) assert.ok(stderr.includes(way), way)
  assert.doesNotMatch(stderr, /plain HTTP/)
})

test('it is saved where it is asked for', async () => {
  await using place = await workplaceWithRoot()
  const { exitCode, stdout, stderr } = await place.run('ca --output root.pem')
  assert.deepEqual([exitCode, stdout], [0, 'root.pem\n'])
  assert.match(stderr, /trustRoot .* root\.pem$/m)
  assert.equal(await readFile(join(place.path, 'root.pem'), 'utf8'), pem)
  const refused = await place.run('ca --output missing/root.pem')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /could not be saved as .*missing.*ENOENT/)
})

test('with --json programs get it with its fingerprint and its end', async () => {
  await using place = await workplaceWithRoot()
  const { stdout, stderr } = await place.run('ca --json')
  const { certificate, fingerprint, expiresAt } = JSON.parse(stdout)
  assert.deepEqual([certificate, stderr], [pem, ''])
  assert.match(fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  assert.ok(Date.parse(expiresAt) > 0)
})

test('a server without a CA of its own, and one that answers something else, are told in words', async () => {
  await using place = await workplace()
  place.server.instead.getCaRoot = () => {
    throw new Refusal('not_found', 'There is nothing here.')
  }
  const without = await place.run('ca')
  assert.equal(without.exitCode, 1)
  assert.match(without.stderr, /does not sign its certificates itself/)
  place.server.instead.getCaRoot = () => 'hello'
  const strange = await place.run('ca')
  assert.equal(strange.exitCode, 1)
  assert.match(strange.stderr, /not a certificate/)
})
