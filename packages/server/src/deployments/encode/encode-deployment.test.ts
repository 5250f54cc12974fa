import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour, minute } from '../../kernel/clock.ts'
import type { DeploymentContext } from '../deployment.ts'
import { by, digestOf, type Publishing, removeProject, startPublishing } from '../deployments.test-kit.ts'
import { awaitsEncodings } from '../manifest.ts'
import { readManifest } from '../manifest-document.ts'
import { sweep } from '../sweep/sweep.ts'
import { encodeNextDeployment } from './encode-deployment.ts'

const text = (word: string) => `${word} `.repeat(200)
const site = { '/a.html': text('A'), '/b.css': text('B'), '/c.png': text('C'), '/d.txt': 'short' }

async function encodeAll(context: DeploymentContext): Promise<void> {
  while (await encodeNextDeployment(context));
}

async function formsOf({ context }: Publishing, id: string): Promise<Record<string, string[] | undefined>> {
  const manifest = await readManifest(context.blobs, id)
  return Object.fromEntries(
    Array.from(manifest ?? [], ([path, { encoded }]) => [path, encoded && Object.keys(encoded).sort()]),
  )
}

async function awaited({ context }: Publishing, id: string): Promise<string[]> {
  const manifest = await readManifest(context.blobs, id)
  return Array.from(manifest ?? []).flatMap(([path, file]) => (awaitsEncodings(path, file) ? [path] : []))
}

onEachDatabase('compressing a deployment', ({ open }) => {
  test('files await their forms until they have the best, or none is worth it', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    // A quarter of 256 bytes is the least that counts, and some of it goes to the format.
    const noise = randomBytes(192).toString('base64')
    const deployment = await publishing.publish({ ...site, '/e.txt': noise })
    assert.deepEqual(await awaited(publishing, deployment.id), ['/a.html', '/b.css', '/e.txt'])
    await encodeNextDeployment(publishing.context)
    assert.deepEqual(await awaited(publishing, deployment.id), ['/a.html', '/b.css'])
    await encodeAll(publishing.context)
    assert.deepEqual(await awaited(publishing, deployment.id), [])
    const again = await publishing.publish(site)
    assert.deepEqual(await awaited(publishing, again.id), [])
  })

  test('useful forms appear in the manifest and on disk, and are reported to the edge', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const deployment = await publishing.publish(site)
    publishing.heard.length = 0
    assert.equal(await encodeNextDeployment(context), true)
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'site' }])
    const quick = { '/a.html': ['gzip'], '/b.css': ['gzip'], '/c.png': undefined, '/d.txt': [] }
    assert.deepEqual(await formsOf(publishing, deployment.id), quick)
    assert.deepEqual(await publishing.contents(deployment), site)
    assert.equal(await encodeNextDeployment(context), true)
    assert.equal(publishing.heard.length, 2)
    assert.deepEqual(await formsOf(publishing, deployment.id), {
      '/a.html': ['br', 'gzip', 'zstd'],
      '/b.css': ['br', 'gzip', 'zstd'],
      '/c.png': undefined,
      '/d.txt': [],
    })
    assert.deepEqual(await publishing.contents(deployment), site)
    assert.equal((await publishing.onDisk()).length, 1 + 4 + 2 * 3)
    assert.equal(await encodeNextDeployment(context), false)
  })

  test('an unchanged redeployment has them immediately', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const first = await publishing.publish(site)
    await encodeAll(context)
    const second = await publishing.sendArchive(site)
    assert.deepEqual(
      await readManifest(context.blobs, second.id),
      new Map([...((await readManifest(context.blobs, first.id)) ?? [])]),
    )
    assert.equal(await encodeNextDeployment(context), false)
  })

  test('files that are too large or too small to compress are not even read', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    context.limits = defaultUploadLimits
    const large = 'x'.repeat(16 * 1024 ** 2 + 1)
    const { id } = await publishing.publish({ '/a.html': text('A'), '/large.json': large, '/d.txt': 'short' })
    const read: string[] = []
    const blobs: typeof context.blobs = {
      ...context.blobs,
      read(key) {
        read.push(key.sha256)
        return context.blobs.read(key)
      },
    }
    await encodeAll({ ...context, blobs })
    assert.deepEqual(new Set(read), new Set([digestOf(text('A'))]))
    const forms = await formsOf(publishing, id)
    assert.deepEqual([forms['/large.json'], forms['/d.txt']], [[], []])
    assert.notEqual((await publishing.find(id))?.encoded_at, null)
  })

  test('a file that is gzip already, by its name, is not compressed again', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { id } = await publishing.publish({ '/logo.svgz': text('S') })
    assert.deepEqual(await awaited(publishing, id), [])
    await encodeAll(publishing.context)
    assert.deepEqual(await formsOf(publishing, id), { '/logo.svgz': undefined })
  })

  test('after an interruption it resumes later, and leaves nothing in staging', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const deployment = await publishing.publish(site)
    const cut = new Error('no space left on device')
    let staged = 0
    const stage: typeof context.blobs.stage = (...source) => {
      if (++staged === 2) throw cut
      return context.blobs.stage(...source)
    }
    await assert.rejects(encodeNextDeployment({ ...context, blobs: { ...context.blobs, stage } }), {
      errors: [cut],
    })
    assert.deepEqual(
      (await publishing.onDisk()).filter((path) => path.startsWith('staging')),
      [],
    )
    await encodeAll(context)
    clock.at += minute
    await encodeAll(context)
    assert.deepEqual(await publishing.contents(deployment), site)
    assert.deepEqual((await formsOf(publishing, deployment.id))['/b.css'], ['br', 'gzip', 'zstd'])
    assert.notEqual((await publishing.find(deployment.id))?.encoded_at, null)
  })

  test('a worker that was too slow leaves the lease of the next one alone', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const { id } = await publishing.publish({ '/a.html': text('A') })
    const leaseEnd = async () => (await publishing.find(id))?.encode_lease_until
    /** Starts a worker, which reads its file when told to. */
    const startWorker = async () => {
      const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const read: typeof context.blobs.read = async (key) => {
        reached.resolve()
        await resumed.promise
        return context.blobs.read(key)
      }
      const working = encodeNextDeployment({ ...context, blobs: { ...context.blobs, read } })
      await reached.promise
      return () => {
        resumed.resolve()
        return working
      }
    }
    const finishFirst = await startWorker()
    assert.equal(await encodeNextDeployment(context), false)
    clock.at += hour
    const finishSecond = await startWorker()
    const held = await leaseEnd()
    await finishFirst()
    assert.equal(await leaseEnd(), held)
    assert.equal(await encodeNextDeployment(context), false)
    await finishSecond()
    assert.equal(await leaseEnd(), 0)
  })

  test('an unreadable file blocks neither other files nor other sites, and is retried', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const broken = await publishing.publish(site)
    const other = await publishing.addProject('other', publishing.account.id)
    const sound = await publishing.publish({ '/index.html': text('other') }, { of: other })
    const bad = digestOf(site['/a.html'])
    const failing = new Error('EIO')
    let asked = 0
    const read: typeof context.blobs.read = async (key) => {
      if (key.sha256 === bad && ++asked > 0) throw failing
      return context.blobs.read(key)
    }
    const using = { ...context, blobs: { ...context.blobs, read } }
    let failures = 0
    const work = async () => {
      for (let more = true; more; ) {
        more = await encodeNextDeployment(using).catch((error: AggregateError) => {
          assert.deepEqual(error.errors, [failing])
          failures++
          return true
        })
      }
    }
    await work()
    assert.equal(failures, 2, 'once for each level, and not again')
    assert.deepEqual(await formsOf(publishing, sound.id), { '/index.html': ['br', 'gzip', 'zstd'] })
    assert.deepEqual(await formsOf(publishing, broken.id), {
      '/a.html': undefined,
      '/b.css': ['br', 'gzip', 'zstd'],
      '/c.png': undefined,
      '/d.txt': [],
    })
    for (const [wait, tries] of [
      [minute - 1, 2],
      [1, 3],
      [5 * minute - 1, 3],
      [1, 4],
    ] as const) {
      clock.at += wait
      await work()
      assert.deepEqual([asked, failures], [tries, tries])
    }
    clock.at += 30 * minute
    await encodeAll(context)
    assert.deepEqual((await formsOf(publishing, broken.id))['/a.html'], ['br', 'gzip', 'zstd'])
    assert.notEqual((await publishing.find(broken.id))?.encoded_at, null)
  })

  test('small and live deployments come first, and every site gets its quick form before any gets the best', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, account } = publishing
    const large = await publishing.publish({ '/a.html': text('large').repeat(3) })
    const publish = async (slug: string, activate: boolean) =>
      publishing.publish(
        { '/a.html': text(slug) },
        { activate, of: await publishing.addProject(slug, account.id) },
      )
    const preview = await publish('preview', false)
    const small = await publish('small', true)
    const order: string[] = []
    const readDocument: typeof context.blobs.readDocument = (name) => {
      order.push(/dpl_\w+/.exec(name)?.[0] ?? '')
      return context.blobs.readDocument(name)
    }
    await encodeAll({ ...context, blobs: { ...context.blobs, readDocument } })
    const once = [small.id, large.id, preview.id]
    assert.deepEqual(order, [...once, ...once])
  })

  test('a deployment that another process works on is skipped until its lease ends', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const deployment = await publishing.publish(site)
    const until = clock.at + 5 * minute
    await database.write((tx) => tx.updateTable('deployments').set({ encode_lease_until: until }).execute())
    assert.equal(await encodeNextDeployment(context), false)
    clock.at = until
    await encodeAll(context)
    assert.notEqual((await publishing.find(deployment.id))?.encoded_at, null)
  })

  test('when stopped it ends between two files and resumes later', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const deployment = await publishing.publish(site)
    const stopping = new AbortController()
    const read: typeof context.blobs.read = (key) => {
      stopping.abort()
      return context.blobs.read(key)
    }
    await encodeNextDeployment({ ...context, blobs: { ...context.blobs, read } }, stopping.signal)
    assert.equal((await publishing.find(deployment.id))?.encoded_at, null)
    await encodeAll(context)
    assert.notEqual((await publishing.find(deployment.id))?.encoded_at, null)
    assert.deepEqual(await publishing.contents(deployment), site)
  })

  test('while somebody waits for a deploy it starts no file, unless that takes too long', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await publishing.publish(site)
    const call = Promise.withResolvers<void>()
    const upload = context.deploys.run(() => call.promise)
    let encoded = false
    const encoding = encodeNextDeployment(context).then(() => {
      encoded = true
    })
    const second = await publishing.publish({ '/other.html': text('D') })
    assert.equal(encoded, false)
    call.resolve()
    await Promise.all([upload, encoding])

    void context.deploys.run(() => new Promise(() => {}))
    await encodeNextDeployment(context)
    assert.deepEqual((await formsOf(publishing, second.id))['/other.html'], ['gzip'])
  })

  test('a deployment removed meanwhile is not a failure and leaves nothing behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const removal = async () => {
      await removeProject(context, { project, by })
      await sweep(context)
    }
    await publishing.publish({ ...site, '/noise.txt': randomBytes(500).toString('hex') })
    let removed: Promise<void> | undefined
    const read: typeof context.blobs.read = async (key) => {
      const bytes = await context.blobs.read(key)
      removed ??= removal()
      await removed
      return bytes
    }
    assert.equal(await encodeNextDeployment({ ...context, blobs: { ...context.blobs, read } }), true)
    assert.deepEqual(await publishing.onDisk(), [])
    assert.equal(await encodeNextDeployment(context), false)
  })
})
