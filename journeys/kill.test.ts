import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPublisher, type Publisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'

const writers = 4
const pages = ['index.html', 'about.html', 'docs/index.html']

/** What was acknowledged to one writer, and what it was still requesting when the server died. */
interface Ledger {
  slug: string
  created: boolean
  /** Versions by deployment, in the order of the answers. */
  published: Map<string, string>
  /** Versions that may be served now: the last acknowledged one, and one requested since. */
  servable: Set<string>
}

/** Publishes, and sometimes rolls back, until the server is gone. */
async function write(publisher: Publisher, ledger: Ledger): Promise<void> {
  const { slug, published } = ledger
  await publisher.createProject(slug)
  ledger.created = true
  for (let count = 1; ; count++) {
    const version = `${slug} version ${count}\n`.repeat(50)
    ledger.servable.add(version)
    const files = Object.fromEntries([
      ...pages.map((page) => [page, version]),
      ['same.txt', 'always the same'],
    ])
    const { id } = await publisher.publishArchive(slug, tarGz(files))
    published.set(id, version)
    ledger.servable = new Set([version])
    const [earlier, before] = [...published].at(-2) ?? []
    if (earlier === undefined || before === undefined || count % 3 !== 0) continue
    ledger.servable.add(before)
    await publisher.activate(slug, earlier)
    ledger.servable = new Set([before])
  }
}

async function assertKept(masthead: MastheadProcess, publisher: Publisher, ledger: Ledger): Promise<void> {
  const { slug, created, published, servable } = ledger
  if (!created) return
  const { activeDeployment } = await publisher.project(slug)
  const listed = new Map((await publisher.deployments(slug)).map((deployment) => [deployment.id, deployment]))
  for (const id of [...published.keys()].slice(-5)) {
    assert.equal(listed.get(id)?.state, 'ready', `${id} of ${slug} was acknowledged`)
  }
  if (published.size === 0 && activeDeployment === null) return
  const [first, ...others] = await Promise.all(
    pages.map((page) => visit(masthead, slug, `/${page.replace(/(index)?\.html$/, '')}`)),
  )
  assert.equal(first?.status, 200)
  assert.ok(servable.has(first.body), `${slug} shows ${first.body.split('\n')[0]}`)
  for (const other of others) assert.deepEqual(other, first, `${slug} shows a mixture`)
  assert.equal((await visit(masthead, slug, '/same.txt')).body, 'always the same')
  const known = published.get(activeDeployment?.id ?? '')
  assert.equal(known ?? first.body, first.body)
}

async function survive(rounds: number, env: Record<string, string>): Promise<{ acknowledged: number }> {
  await using masthead = await MastheadProcess.start({ env: { MASTHEAD_LOG: 'warn', ...env } })
  const publisher = await createPublisher(masthead)
  const ledgers: Ledger[] = []
  for (let round = 0; round < rounds; round++) {
    const mine = Array.from({ length: writers }, (_, writer) => ({
      slug: `round-${round}-writer-${writer}`,
      created: false,
      published: new Map<string, string>(),
      servable: new Set<string>(),
    }))
    ledgers.push(...mine)
    const writing = mine.map((ledger) => write(publisher, ledger).catch((error: unknown) => error))
    // Every other round the server is killed after it has acknowledged something, however slow the machine is.
    if (round % 2 === 1) await until(() => acknowledgedIn(mine) >= 4)
    await sleep(50 + Math.random() * 700)
    await masthead.kill('SIGKILL')
    for (const error of await Promise.all(writing)) {
      assert.ok(error instanceof TypeError, `the server refused: ${error}`)
    }
    const unfinished = await staged(masthead)
    await masthead.restart()
    assert.deepEqual(unfinished.intersection(await staged(masthead)), new Set())
    for (const ledger of mine) await assertKept(masthead, publisher, ledger)
  }
  for (const ledger of ledgers.slice(0, -writers)) await assertKept(masthead, publisher, ledger)
  await assertNothingInTheWay(masthead, publisher)
  return { acknowledged: acknowledgedIn(ledgers) }
}

function acknowledgedIn(ledgers: Ledger[]): number {
  return ledgers.reduce((total, { published }) => total + published.size, 0)
}

async function staged({ dataFolder }: MastheadProcess): Promise<Set<string>> {
  return new Set(await readdir(join(dataFolder, 'blobs', 'staging')))
}

async function assertNothingInTheWay(masthead: MastheadProcess, publisher: Publisher): Promise<void> {
  await publisher.createProject('afterwards')
  await publisher.publishArchive('afterwards', tarGz({ 'index.html': 'still here' }))
  assert.deepEqual(await visit(masthead, 'afterwards', '/'), { status: 200, body: 'still here' })
}

describe('a server that is killed in the middle of its work, again and again', { timeout: 300_000 }, () => {
  test('loses nothing it acknowledged, and serves whole deployments, on SQLite', async (t) => {
    const { acknowledged } = await survive(8, {})
    t.diagnostic(`${acknowledged} deployments were acknowledged`)
    assert.ok(acknowledged > 12)
  })

  test('loses nothing it acknowledged, and serves whole deployments, on PostgreSQL', {
    skip: skipWithout('postgresql'),
  }, async (t) => {
    await using schema = await postgresSchema()
    const { acknowledged } = await survive(4, { DATABASE_URL: schema.url })
    t.diagnostic(`${acknowledged} deployments were acknowledged`)
    assert.ok(acknowledged > 6)
  })
})
