import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startFaultProxy } from '@masthead/testing/peers/fault-proxy.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { type RunningSwift, startSwift } from '@masthead/testing/peers/swift.ts'
import { until } from '@masthead/testing/until.ts'
import { createInstallation } from '../backup/installation.test-kit.ts'
import { createRoot, issueLeaf } from '../certificates/internal-ca/internal-ca.ts'
import { generateKeyPair, privateKeyPem } from '../certificates/x509/key-pair.ts'
import { runProgram, startProgram } from './run-program.test-kit.ts'

/** Each test has buckets of its own. */
const sharedSwift = () => (startedSwift ??= startSwift())
let startedSwift: Promise<RunningSwift> | undefined
after(async () => (await startedSwift)?.[Symbol.asyncDispose]())

async function contentOf(backup: string) {
  const name = (await readdir(join(backup, 'snapshots'))).sort().at(-1) ?? ''
  const { tables, files } = JSON.parse(
    await readFile(join(backup, 'snapshots', name, 'manifest.json'), 'utf8'),
  )
  return { tables, files }
}

test('a move to S3, and a restore into it, killed while files are sent, end with equal digests', {
  skip: skipWithout('postgresql', 'swift'),
}, async () => {
  await using installation = await createInstallation({
    accounts: 2,
    deploymentsPerAccount: 2,
    filesPerDeployment: 8,
  })
  const swift = await sharedSwift()
  const s3 = swift.settings
  const original = join(installation.path, 'original')
  const source = { MASTHEAD_DATA: installation.dataFolder, ...s3 }
  assert.equal((await runProgram(['backup', original], source)).status, 0)

  for (const command of ['move', 'restore']) {
    await using target = await postgresSchema()
    const bucket = await swift.createBucket()
    const blobs = `s3://${bucket}/sites`
    const node = {
      ...s3,
      MASTHEAD_DATA: join(installation.path, `node-${command}`),
      DATABASE_URL: target.url,
      MASTHEAD_BLOBS: blobs,
    }
    const [args, env] =
      command === 'move'
        ? [['move', '--to', target.url, '--blobs', blobs], source]
        : [['restore', original], node]
    const sent = async () => {
      const listing = await swift.request('GET', `${bucket}?list-type=2&max-keys=1000`)
      return (await listing.text()).split('<Key>').length - 1
    }
    const enough = (await sent()) + 1 + Math.floor(Math.random() * 20)
    const { child, done } = startProgram(args, env)
    await until(async () => child.exitCode !== null || (await sent()) >= enough)
    child.kill('SIGKILL')
    assert.equal((await done()).status, null)
    const { status, stderr } = await runProgram(args, env)
    assert.equal(status, 0, stderr)

    // The node's folder is empty: everything comes from PostgreSQL and S3.
    const copy = join(installation.path, `copy-${command}`)
    const backedUp = await runProgram(['backup', copy], node)
    assert.equal(backedUp.status, 0, backedUp.stderr)
    assert.deepEqual(await contentOf(copy), await contentOf(original))
  }
})

test('S3 behind a certificate of a CA of your own is trusted with NODE_EXTRA_CA_CERTS, and only then', {
  skip: skipWithout('swift'),
}, async () => {
  await using installation = await createInstallation({ accounts: 1 })
  const swift = await sharedSwift()
  const root = await createRoot(Date.now())
  const keys = await generateKeyPair()
  const leaf = await issueLeaf(root, { name: 'localhost', publicKey: keys.publicKey, now: Date.now() })
  await using proxy = await startFaultProxy(swift.endpoint, {
    key: privateKeyPem(keys),
    cert: leaf.chainPem,
  })
  const roots = join(installation.path, 'roots.pem')
  await writeFile(roots, root.certificatePem)
  const original = join(installation.path, 'original')
  const local = { MASTHEAD_DATA: installation.dataFolder }
  assert.equal((await runProgram(['backup', original], local)).status, 0)
  const node = {
    ...swift.settings,
    MASTHEAD_S3_ENDPOINT: proxy.url,
    MASTHEAD_DATA: join(installation.path, 'node'),
    MASTHEAD_BLOBS: `s3://${await swift.createBucket()}`,
  }

  const refused = await runProgram(['restore', original], node)
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /no trusted TLS connection to .*NODE_EXTRA_CA_CERTS/)
  assert.equal(proxy.requests.length, 0)

  const trusting = { ...node, NODE_EXTRA_CA_CERTS: roots }
  const restored = await runProgram(['restore', original], trusting)
  assert.equal(restored.status, 0, restored.stderr)
  const copy = join(installation.path, 'copy')
  const backedUp = await runProgram(['backup', copy], trusting)
  assert.equal(backedUp.status, 0, backedUp.stderr)
  assert.deepEqual(await contentOf(copy), await contentOf(original))
  assert.ok(proxy.requests.some((request) => request.startsWith('PUT')))
})
