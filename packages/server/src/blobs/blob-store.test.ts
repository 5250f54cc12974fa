import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { batchOf, manyContents, sha256 } from './content-batch.test-kit.ts'
import { onEachStore } from './each-store.test-kit.ts'

const accountId = 'acc_0001'

async function* chunks(...parts: (Uint8Array | string | Error)[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield typeof part === 'string' ? Buffer.from(part) : part
  }
}

/** Few are written directly, many on a thread. */
const batchSizes = { files: [0, 1, 15, 16, 100], s3: [0, 1, 20] }

onEachStore('a blob store', ({ kind, open }) => {
  test('staged content is hashed, and stored after commit', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    const staged = await store.stage(chunks('hel', 'lo'), 100)
    const key = { accountId, sha256: staged.sha256 }
    assert.equal(staged.sha256, sha256('hello'))
    assert.equal(staged.size, 5)
    assert.equal(await store.has(key), false)
    await assert.rejects(store.read(key), { code: 'ENOENT' })
    await assert.rejects(store.openFile(key), { code: 'ENOENT' })

    await staged.commit({ accountId })
    assert.deepEqual(await inSpool(), [])
    assert.equal(await store.has(key), true)
    assert.equal((await store.read(key)).toString(), 'hello')
  })

  test('sending before commit changes nothing but when the work is done', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    const staged = await store.stage(chunks('hello'), 100)
    await staged.send({ accountId })
    await staged.send({ accountId })
    await staged.commit({ accountId })
    assert.deepEqual(await inSpool(), [])
    assert.equal((await store.read({ accountId, sha256: staged.sha256 })).toString(), 'hello')
  })

  test('a store that works says so', async () => {
    await using opened = await open()
    await opened.store.probe()
  })

  test('content far larger than a batch is stored completely, whatever its chunks', async () => {
    await using opened = await open()
    const { store } = opened
    const content = randomBytes(3_000_001)
    const cuts = [0, 1, 70_000, 400_000, 400_001, 2_900_000, content.byteLength]
    const parts = cuts.slice(1).map((end, i) => content.subarray(cuts[i], end))
    const staged = await store.stage(chunks(...parts), content.byteLength)
    await staged.commit({ accountId })
    assert.equal(staged.sha256, sha256(content))
    assert.ok(content.equals(await store.read({ accountId, sha256: staged.sha256 })))
  })

  test('a batch is staged and committed completely, whatever its size, and two at once', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    for (const length of batchSizes[kind]) {
      const both = [manyContents(length), manyContents(length)]
      const staged = await Promise.all(both.map((contents) => store.stageAll(batchOf(contents))))
      assert.equal((await inSpool()).length, 2 * length)
      await Promise.all(staged.map((some) => store.commitAll(some, accountId)))
      const check = async (content: Buffer) =>
        assert.ok(content.equals(await store.read({ accountId, sha256: sha256(content) })))
      await Promise.all(both.flat().map(check))
      for (const blob of staged.flat()) await blob.discard()
      assert.deepEqual(await inSpool(), [])
      await Promise.all(both.flat().map(check))
    }
  })

  test('without part of its contents, a batch stages only the others', async () => {
    await using opened = await open()
    const { store } = opened
    const contents = manyContents(40)
    const gone = new Set(contents.slice(0, 20).map(sha256))
    const staged = await store.stageAll(batchOf(contents).without(gone))
    assert.deepEqual(
      staged.map((blob) => blob.sha256),
      contents.slice(20).map(sha256),
    )
    await store.commitAll(staged, accountId)
    for (const content of contents.slice(20)) {
      assert.ok(content.equals(await store.read({ accountId, sha256: sha256(content) })))
    }
  })

  test('an empty file can be stored', async () => {
    await using opened = await open()
    const { store } = opened
    const staged = await store.stage(chunks(), 0)
    await staged.commit({ accountId })
    assert.equal((await store.read({ accountId, sha256: sha256('') })).byteLength, 0)
  })

  test('an open file is read from any position, and to its end', async () => {
    await using opened = await open()
    const { store } = opened
    const staged = await store.stage(chunks('0123456789'), 10)
    await staged.commit({ accountId })
    const file = await store.openFile({ accountId, sha256: staged.sha256 })
    const into = Buffer.alloc(3)
    assert.equal(await file.read(2, into), 3)
    assert.equal(into.toString(), '234')
    assert.equal(await file.read(8, into), 2)
    assert.equal(into.subarray(0, 2).toString(), '89')
    const parts = [Buffer.alloc(2), into, Buffer.alloc(4)]
    if (file.readParts !== undefined) {
      assert.equal(await file.readParts(3, parts), 7)
      assert.deepEqual(parts.map(String), ['34', '567', '89\0\0'])
    }
    await file.close()
  })

  test('a large open file is read in any order, and two positions at once', async () => {
    await using opened = await open()
    const { store } = opened
    const content = randomBytes(700_001)
    const staged = await store.stage(chunks(content), content.byteLength)
    await staged.commit({ accountId })
    const file = await store.openFile({ accountId, sha256: staged.sha256 })
    const check = async (start: number, length: number) => {
      const into = Buffer.alloc(length)
      const read = await file.read(start, into)
      const expected = content.subarray(start, start + length)
      assert.ok(expected.equals(into.subarray(0, read)), `${length} bytes from ${start}`)
    }
    for (const start of [0, 60_000, 65_536, 400_000, 300_000, 0, 690_000, 700_000, 700_001, 800_000]) {
      await check(start, 65_536)
    }
    await Promise.all([check(0, 400_000), check(350_000, 400_000), check(10, 10), check(600_000, 1)])
    await file.close()
  })

  test('content beyond the limit is refused and leaves nothing behind', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    await assert.rejects(store.stage(chunks('12345', '6'), 5), { code: 'file_too_large' })
    assert.deepEqual(await inSpool(), [])
  })

  test('a source that fails leaves nothing behind, and its error is thrown', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    const gone = new Error('the client went away')
    await assert.rejects(store.stage(chunks(randomBytes(600_000), gone), 1e6), gone)
    assert.deepEqual(await inSpool(), [])
  })

  test('discard removes staged content, and does nothing when repeated or after commit', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    const dropped = await store.stage(chunks('dropped'), 100)
    await dropped.discard()
    await dropped.discard()
    assert.deepEqual(await inSpool(), [])

    const kept = await store.stage(chunks('kept'), 100)
    await kept.commit({ accountId })
    await kept.discard()
    assert.equal(await store.has({ accountId, sha256: kept.sha256 }), true)
  })

  test("equal files of one account are stored once, and other accounts don't have them", async () => {
    await using opened = await open()
    const { store } = opened
    const twins = await Promise.all([store.stage(chunks('same'), 9), store.stage(chunks('same'), 9)])
    await Promise.all(twins.map((twin) => twin.commit({ accountId })))
    assert.equal(await store.has({ accountId, sha256: sha256('same') }), true)
    assert.equal(await store.has({ accountId: 'acc_0002', sha256: sha256('same') }), false)
  })

  test('a compressed form is stored next to the uncompressed one, under the same digest', async () => {
    await using opened = await open()
    const { store } = opened
    const digest = sha256('plain')
    const encodings = ['br', 'zstd', 'gzip'] as const
    for (const encoding of encodings) {
      const staged = await store.stage(chunks(`as ${encoding}`), 100)
      await staged.commit({ accountId, sha256: digest, encoding })
    }
    for (const encoding of encodings) {
      const content = await store.read({ accountId, sha256: digest, encoding })
      assert.equal(content.toString(), `as ${encoding}`)
    }
    assert.equal(await store.has({ accountId, sha256: digest }), false)
  })

  test('uncompressed content cannot be stored under another digest', async () => {
    await using opened = await open()
    const { store } = opened
    const staged = await store.stage(chunks('x'), 100)
    await staged.commit({ accountId, sha256: sha256('y'), encoding: undefined })
    assert.equal(await store.has({ accountId, sha256: sha256('y') }), false)
    assert.equal(await store.has({ accountId, sha256: sha256('x') }), true)
  })

  test('removing a blob deletes it, and removing a missing one is no error', async () => {
    await using opened = await open()
    const { store } = opened
    const staged = await store.stage(chunks('short-lived'), 100)
    await staged.commit({ accountId })
    const key = { accountId, sha256: staged.sha256 }
    await store.remove(key)
    await store.remove(key)
    assert.equal(await store.has(key), false)
    await assert.rejects(store.read(key), { code: 'ENOENT' })
  })

  test('ids and digests that could leave the folder never reach the disk', async () => {
    await using opened = await open()
    const { store } = opened
    const digest = sha256('x')
    for (const bad of ['..', 'acc_../../etc', 'staging', 'documents', 'acc_', 'acc_a/b', '']) {
      await assert.rejects(store.read({ accountId: bad, sha256: digest }), TypeError, bad)
    }
    for (const bad of ['', '..', digest.toUpperCase(), `${digest}0`, `../${digest}`, `${digest}\n`]) {
      await assert.rejects(store.has({ accountId, sha256: bad }), TypeError, bad)
      await assert.rejects(store.remove({ accountId, sha256: bad }), TypeError, bad)
    }
    for (const bad of ['', '..', '../x', 'a/..', 'a/../b', 'a/./b', '/a', 'a//b', 'a/', 'A', 'a/b\0']) {
      await assert.rejects(store.writeDocument(bad, Buffer.from('x')), TypeError, bad)
      await assert.rejects(store.readDocument(bad), TypeError, bad)
    }
  })

  test('a document can be read, replaced and removed, and is null if missing', async () => {
    await using opened = await open()
    const { store, inSpool } = opened
    const name = 'manifests/dpl_0001.json'
    assert.equal(await store.readDocument(name), null)
    await store.writeDocument(name, Buffer.from('first, and longer'))
    await store.writeDocument(name, Buffer.from('second'))
    assert.equal((await store.readDocument(name))?.toString(), 'second')
    assert.deepEqual(await inSpool(), [])
    await store.removeDocument(name)
    await store.removeDocument(name)
    assert.equal(await store.readDocument(name), null)
  })
})
