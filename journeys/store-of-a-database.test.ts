import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { startSwift } from '@masthead/testing/peers/swift.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createTenant } from './tenant.ts'

const program = fileURLToPath(new URL('../packages/server/bin/masthead-server.js', import.meta.url))

/** As the operator runs it, with the settings of a server. */
function mastheadServer(args: readonly string[], env: Record<string, string>) {
  const { promise, resolve } = Promise.withResolvers<{ status: number; output: string }>()
  const options = { env: { ...programEnvironment, ...env } }
  const child = execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) =>
    resolve({ status: child.exitCode ?? -1, output: stdout + stderr }),
  )
  return promise
}

async function assertDone(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { status, output } = await mastheadServer(args, env)
  assert.equal(status, 0, output)
}

/** The server's one line. */
async function refusal(options: Parameters<typeof MastheadProcess.start>[0]): Promise<string> {
  const starting = MastheadProcess.start(options)
  const text = await starting.then(
    async (masthead) => {
      await masthead.stop()
      return 'It has started.'
    },
    (error: Error) => error.message,
  )
  return /^MASTHEAD_\w+: .*$/m.exec(text)?.[0] ?? text
}

test('nodes and restores that would use the files of another database are refused', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 300_000,
}, async () => {
  await using folder = await temporaryFolder('masthead-stores')
  await using schema = await postgresSchema()
  await using rehearsal = await postgresSchema()
  await using swift = await startSwift()
  const blobs = { ...swift.settings, MASTHEAD_BLOBS: `s3://${await swift.createBucket()}/sites` }
  const env = { DATABASE_URL: schema.url, MASTHEAD_MASTER_KEY: randomBytes(32).toString('hex') }
  const at = (name: string) => join(folder.path, name)
  const backup = at('backup')
  {
    await using masthead = await MastheadProcess.start({ dataFolder: at('a'), env: { ...env, ...blobs } })
    await createTenant(masthead, 'acme')
    await assertDone(['backup', backup], { ...env, ...blobs, MASTHEAD_DATA: at('a') })

    const lacking = { ...env, MASTHEAD_DATA: at('b') }
    assert.match(
      await refusal({ dataFolder: at('b'), env }),
      /^MASTHEAD_DATA: .* does not have the files of this database\. .*set MASTHEAD_BLOBS as on the other nodes/,
    )
    const { status, output } = await mastheadServer(['doctor'], lacking)
    assert.equal(status, 1)
    assert.match(output, /does not have the files of this database/)

    const elsewhere = { ...env, ...blobs, MASTHEAD_BLOBS: `s3://${await swift.createBucket()}` }
    assert.match(await refusal({ dataFolder: at('b'), env: elsewhere }), /^MASTHEAD_BLOBS: s3:\/\//)
    await using second = await MastheadProcess.start({ dataFolder: at('b'), env: { ...env, ...blobs } })
    assert.deepEqual(await visit(second, 'acme', '/'), { status: 200, body: 'acme' })

    // A node that starts while S3 is away finds out later.
    await swift.stop()
    await using late = await MastheadProcess.start({
      dataFolder: at('c'),
      env: { ...elsewhere, MASTHEAD_ROLES: 'edge' },
    })
    await swift.start()
    assert.equal(await late.ended(), 0)
    assert.match(late.output, /does not have the files of this database/)

    const restored = { ...env, ...blobs, DATABASE_URL: rehearsal.url, MASTHEAD_DATA: at('r') }
    const refused = await mastheadServer(['restore', backup], restored)
    assert.equal(refused.status, 1)
    assert.match(refused.output, /has the files of another database, .* --use-store\./)
    const onSqlite = { ...blobs, MASTHEAD_MASTER_KEY: env.MASTHEAD_MASTER_KEY, MASTHEAD_DATA: at('s') }
    assert.equal((await mastheadServer(['restore', backup], onSqlite)).status, 1)
    const busy = await mastheadServer(['use-store'], { ...env, MASTHEAD_DATA: at('r') })
    assert.match(busy.output, /^Servers are running on this database\. Stop every node/)
  }
  const next = { ...env, ...blobs, DATABASE_URL: rehearsal.url }
  await assertDone(['restore', backup, '--use-store'], { ...next, MASTHEAD_DATA: at('r') })
  assert.match(
    await refusal({ dataFolder: at('a'), env: { ...env, ...blobs } }),
    /^MASTHEAD_BLOBS: .* has the files of another database\./,
  )
  await using masthead = await MastheadProcess.start({ dataFolder: at('r'), env: next })
  assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'acme' })
})

test('after a move, a node with the old setting for files is refused', {
  skip: skipWithout('postgresql', 'swift'),
  timeout: 300_000,
}, async () => {
  await using folder = await temporaryFolder('masthead-stores')
  await using schema = await postgresSchema()
  await using swift = await startSwift()
  const laptop = join(folder.path, 'laptop')
  {
    await using masthead = await MastheadProcess.start({ dataFolder: laptop })
    await createTenant(masthead, 'acme')
  }
  const env = { ...swift.settings, MASTHEAD_DATA: laptop }
  const blobs = `s3://${await swift.createBucket()}`
  await assertDone(['move', '--to', schema.url, '--blobs', blobs], env)
  const old = { dataFolder: laptop, env: { DATABASE_URL: schema.url } }
  assert.match(await refusal(old), /^MASTHEAD_DATA: .* has the files of another database\./)
  await using masthead = await MastheadProcess.start({
    dataFolder: laptop,
    env: { ...swift.settings, DATABASE_URL: schema.url, MASTHEAD_BLOBS: blobs },
  })
  assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'acme' })
})

test('a new database may share the folder of an earlier one', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  await using folder = await temporaryFolder('masthead-stores')
  const dataFolder = join(folder.path, 'data')
  {
    await using masthead = await MastheadProcess.start({ dataFolder })
    await createTenant(masthead, 'acme')
  }
  for (const attempt of ['first', 'created again']) {
    await using schema = await postgresSchema()
    await using masthead = await MastheadProcess.start({ dataFolder, env: { DATABASE_URL: schema.url } })
    await createTenant(masthead, 'acme')
    assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'acme' }, attempt)
  }
  await using masthead = await MastheadProcess.start({ dataFolder })
  assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'acme' })
})

test('a server whose files are lost says so, and goes on with use-store', { timeout: 300_000 }, async () => {
  await using folder = await temporaryFolder('masthead-stores')
  const dataFolder = join(folder.path, 'data')
  const env = { MASTHEAD_DATA: dataFolder }
  const backup = join(folder.path, 'backup')
  {
    await using masthead = await MastheadProcess.start({ dataFolder })
    await createTenant(masthead, 'acme')
    await assertDone(['backup', backup, '--with-master-key'], env)
  }
  await rm(join(dataFolder, 'blobs'), { recursive: true })
  assert.match(
    await refusal({ dataFolder }),
    /^MASTHEAD_DATA: .* does not have the files .* restore a backup; .* run: npx masthead-server use-store$/,
  )
  await assertDone(['use-store'], env)
  {
    await using masthead = await MastheadProcess.start({ dataFolder })
    assert.equal((await visit(masthead, 'acme', '/')).status, 503)
  }
  const restored = join(folder.path, 'restored')
  await assertDone(['restore', backup], { MASTHEAD_DATA: restored })
  await using masthead = await MastheadProcess.start({ dataFolder: restored })
  assert.deepEqual(await visit(masthead, 'acme', '/'), { status: 200, body: 'acme' })
})
