import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { breakingOff, inbox, inChunks, limits } from './archive.test-kit.ts'
import { receiveArchive } from './receive-archive.ts'
import { endOfArchive, paxPart, type TarPart, tar, tarGz, tarPart } from './tar.test-kit.ts'
import { zip } from './zip.test-kit.ts'

const page = { name: 'index.html', content: '<h1>Hello</h1>' }
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

for (const [format, pack] of [
  ['tar', (...parts: TarPart[]) => tar(...parts)],
  ['tar.gz', (...parts: TarPart[]) => tarGz(...parts)],
  ['zip', (...parts: { name: string; content: string | Buffer }[]) => zip(...parts)],
] as const) {
  test(`${format}: files arrive under their published paths with their digests`, async (t) => {
    const { receive } = await inbox(t)
    const { files, staged } = await receive(format, pack(page, { name: './ü/a', content: 'x' }))
    assert.deepEqual(
      files,
      new Map([
        ['/index.html', { sha256: sha256(page.content), size: page.content.length }],
        ['/ü/a', { sha256: sha256('x'), size: 1 }],
      ]),
    )
    assert.deepEqual(new Set(staged.map((blob) => blob.sha256)), new Set([sha256(page.content), sha256('x')]))
  })

  test(`${format}: small and large files mixed come back equal`, async (t) => {
    const { contents } = await inbox(t)
    const files: Record<string, Buffer> = {}
    for (let i = 0; i < 40; i++) files[`/f/${i}`] = randomBytes(i % 8 === 0 ? 300_000 + i : i * 100)
    const parts = Object.entries(files).map(([path, content]) => ({ name: path.slice(1), content }))
    assert.deepEqual(await contents(format, pack(...parts)), files)
  })

  test(`${format}: equal contents are staged once`, async (t) => {
    const { receive, assertEmpty } = await inbox(t)
    const copies = Array.from({ length: 30 }, (_, i) => ({ ...page, name: `copy-${i}` }))
    const { files, staged } = await receive(format, pack(...copies))
    assert.equal(files.size, 30)
    assert.equal(staged.length, 1)
    await staged[0]?.discard()
    await assertEmpty()
  })

  test(`${format}: paths that cannot be published are refused and leave nothing behind`, async (t) => {
    const { refuses } = await inbox(t)
    for (const name of [
      '../evil',
      'a/../../evil',
      '/etc/passwd',
      'a\\b',
      'C:\\evil',
      'a//b',
      'a/./b',
      'a\nb',
    ]) {
      await refuses('path_invalid', format, pack(page, { name, content: 'x' }))
    }
  })

  test(`${format}: duplicates and collisions are refused and leave nothing behind`, async (t) => {
    const { refuses } = await inbox(t)
    const file = (name: string) => ({ name, content: 'x' })
    await refuses('path_duplicate', format, pack(page, page))
    await refuses('path_duplicate', format, pack(page, file('./index.html')))
    await refuses('path_duplicate', format, pack(file('caf\u00e9'), file('cafe\u0301')))
    await refuses('path_collision', format, pack(file('a'), file('a/b')))
    await refuses('path_collision', format, pack(file('a/b'), file('a')))
    await refuses('path_collision', format, pack(file('a'), { name: 'a/', content: '' }))
  })

  test(`${format}: each limit refuses exactly what exceeds it`, async (t) => {
    const { receive, refuses } = await inbox(t)
    const two = pack({ name: 'a', content: '12345' }, { name: 'b', content: '67890' })
    await refuses('too_many_files', format, two, { files: 1 })
    await refuses('file_too_large', format, two, { bytesPerFile: 4 })
    if (format !== 'zip') await refuses('deployment_too_large', format, two, { bytesPerDeployment: 9 })
    const exact = { files: 2, bytesPerFile: 5, bytesPerDeployment: format === 'zip' ? two.byteLength : 10 }
    assert.equal((await receive(format, two, exact)).files.size, 2)
  })

  test(`${format}: an archive without files is refused`, async (t) => {
    const { refuses } = await inbox(t)
    await refuses('deployment_empty', format, pack())
    await refuses('deployment_empty', format, pack({ name: 'folder/', content: '' }))
  })

  test(`${format}: a body aborted anywhere leaves nothing behind, and its error is thrown`, async (t) => {
    const { refuses } = await inbox(t)
    const parts = Array.from({ length: 60 }, (_, i) => ({
      name: `f${i}`,
      content: randomBytes(5_000).toString('hex'),
    }))
    const archive = pack(...parts)
    const gone = new Error('the client went away')
    for (const share of [0, 0.3, 0.7, 0.99, 1]) {
      await refuses(gone, format, breakingOff(archive.subarray(0, archive.byteLength * share), gone))
    }
  })

  test(`${format}: a body that ends early anywhere is refused and leaves nothing behind`, async (t) => {
    const { refuses } = await inbox(t)
    const archive = pack(page, { name: 'b', content: 'y'.repeat(1500) })
    for (let end = 0; end < archive.byteLength; end += 7) {
      await refuses('archive_truncated', format, archive.subarray(0, end))
    }
  })

  test(`${format}: a damaged archive ends in a Problem or not at all, and leaves nothing behind`, async (t) => {
    const { receive, assertEmpty } = await inbox(t)
    const archive = pack(
      page,
      { name: 'folder/', content: '' },
      { name: 'folder/b', content: 'y'.repeat(3000) },
    )
    const damage = fc.record({
      at: fc.nat(archive.byteLength - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    })
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      fc.array(damage, { minLength: 1, maxLength: 3 }).map((wounds) => {
        const damaged = Buffer.from(archive)
        for (const { at, bytes } of wounds) damaged.set(bytes.subarray(0, archive.byteLength - at), at)
        return damaged
      }),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        try {
          const { staged } = await receive(format, body)
          for (const blob of staged) await blob.discard()
        } catch (error) {
          assert.equal((error as Error).name, 'Problem', String(error))
        }
        await assertEmpty()
      }),
      { numRuns: 400 },
    )
  })
}

const hostile: TarPart[] = [
  { name: 'link', type: '2', linkName: '/etc/passwd' },
  { name: 'hard', type: '1', linkName: 'index.html' },
  { name: 'device', type: '3' },
  { name: 'disk', type: '4' },
  { name: 'pipe', type: '6' },
]

for (const part of hostile) {
  test(`a ${part.name} in a tar is refused and leaves nothing behind`, async (t) => {
    const { refuses } = await inbox(t)
    await refuses('entry_unsupported', 'tar.gz', tarGz(page, part, page))
  })
}

test('a disk failure is not blamed on the archive, and leaves nothing behind', async (t) => {
  const { blobs, assertEmpty } = await inbox(t)
  const full = new Error('no space left on device')
  let writes = 0
  const failing: BlobStore = {
    ...blobs,
    stageAll: async (batch) => {
      if (++writes === 3) throw full
      return blobs.stageAll(batch)
    },
  }
  const parts = Array.from({ length: 60 }, (_, i) => ({ name: `f${i}`, content: randomBytes(30_000) }))
  const upload = {
    body: inChunks(tarGz(...parts)),
    format: 'tar.gz',
    limits,
    blobs: failing,
    spoolFolder: '',
  } as const
  await assert.rejects(receiveArchive(upload), full)
  await assertEmpty()
})

test('hidden files are left out and all counted, with twenty named below the folder of the site', async (t) => {
  const { receive } = await inbox(t)
  const hidden = Array.from({ length: 25 }, (_, n) => ({ name: `site/docs/.secret-${n + 10}`, content: 'x' }))
  const { files, leftOut } = await receive('tar', tar({ ...page, name: 'site/index.html' }, ...hidden))
  assert.deepEqual([...files.keys()], ['/index.html'])
  const named = hidden.slice(0, 20).map(({ name }) => name.replace('site', ''))
  assert.deepEqual(leftOut, { files: 25, paths: named })
})

test('folders with names that lead elsewhere are refused', async (t) => {
  const { refuses, receive } = await inbox(t)
  await refuses('path_invalid', 'tar.gz', tarGz({ name: '../', type: '5' }, page))
  await refuses('path_invalid', 'tar.gz', tarGz({ name: '/', type: '5' }, page))
  assert.equal(
    (await receive('tar.gz', tarGz({ name: './', type: '5' }, { name: '.', type: '5' }, page))).files.size,
    1,
  )
})

test('a tar that ends early is refused even if its gzip is complete', async (t) => {
  const { refuses } = await inbox(t)
  const archive = tar(page, { name: 'b', content: 'y'.repeat(1500) })
  for (let end = 0; end < archive.byteLength; end += 512) {
    await refuses('archive_truncated', 'tar.gz', gzipSync(archive.subarray(0, end)))
    await refuses('archive_truncated', 'tar', archive.subarray(0, end))
  }
})

test('what is sent as another format than it has is refused', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('archive_invalid', 'tar', tarGz(page, { name: 'b', content: randomBytes(2000) }))
  await refuses('archive_invalid', 'tar.gz', tar(page))
})

test('garbage after the gzip is refused, further members are read', async (t) => {
  const { refuses, contents } = await inbox(t)
  for (const garbage of ['xyz', '\0', '\0garbage', '\x1f\x8b\xffgarbage', 'PK']) {
    await refuses('archive_invalid', 'tar.gz', Buffer.concat([tarGz(page), Buffer.from(garbage, 'latin1')]))
  }
  const members = Buffer.concat([gzipSync(tarPart(page)), gzipSync(endOfArchive)])
  assert.deepEqual(Object.keys(await contents('tar.gz', members)), ['/index.html'])
})

test('a huge pax header is refused and leaves nothing behind', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('archive_invalid', 'tar.gz', tarGz(page, paxPart({ comment: 'x'.repeat(70_000) }), page))
})

test('one file more than the limit is refused and leaves nothing behind', async (t) => {
  const { refuses } = await inbox(t)
  const parts = Array.from({ length: limits.files + 1 }, (_, i) => ({ name: `f${i}`, content: `${i}` }))
  await refuses('too_many_files', 'tar.gz', tarGz(...parts))
  await refuses('too_many_files', 'zip', zip(...parts))
})

test('20,001 files are refused by the default limit', async (t) => {
  const { refuses } = await inbox(t)
  const parts = Array.from({ length: 20_001 }, (_, i) => tarPart({ name: `f${i}` }))
  await refuses('too_many_files', 'tar.gz', tarGz(...parts), { files: 20_000 })
})

test('too many folders are refused', async (t) => {
  const { refuses } = await inbox(t)
  const folders = Array.from({ length: 1003 }, (_, i) => tarPart({ name: `d${i}/`, type: '5' }))
  await refuses('too_many_files', 'tar.gz', tarGz(...folders), { files: 1 })
})

test('a few files in very many folders are refused and leave nothing behind', async (t) => {
  const { refuses } = await inbox(t)
  const paths = ['a', 'b', 'c'].map((name) => `${name}${'/x'.repeat(500)}`)
  const parts = paths.flatMap((path) => [paxPart({ path }), tarPart({ name: 'x', content: path })])
  await refuses('too_many_files', 'tar.gz', tarGz(page, ...parts))
  await refuses('too_many_files', 'zip', zip(page, ...paths.map((name) => ({ name, content: name }))))
})

const zeros = Buffer.alloc(100_000)

const bombs: [what: string, code: string, start: Buffer, more: (n: number) => Buffer][] = [
  ['a file that declares it', 'file_too_large', tarPart({ name: 'z', size: '77777777777\0' }), () => zeros],
  ['many files', 'deployment_too_large', tarPart(page), (n) => tarPart({ name: `z${n}`, content: zeros })],
  ['padding after the end', 'deployment_too_large', tar(page), () => zeros],
  ['pax headers', 'deployment_too_large', tarPart(page), () => paxPart({ comment: 'x'.repeat(60_000) })],
]

for (const [what, code, start, more] of bombs) {
  test(`a bomb of ${what} stops at the limit`, async (t) => {
    const { refuses } = await inbox(t)
    let sent = 0
    async function* endless() {
      yield gzipSync(start)
      for (let n = 0; ; n++) {
        const part = more(n)
        sent += part.byteLength
        yield gzipSync(part, { level: 1 })
      }
    }
    await refuses(code, 'tar.gz', endless())
    // The limit allows 30 MB including headers; the rest was sent ahead, still compressed.
    assert.ok(sent < 60e6, `${sent} bytes were sent`)
  })
}

test('a tar.gz that unpacks to absurdly more is refused and leaves nothing behind', async (t) => {
  const { refuses } = await inbox(t)
  const large = { bytesPerFile: 100_000_000, bytesPerDeployment: 1_000_000_000 }
  const parts = Array.from({ length: 60 }, (_, n) => ({
    name: `${n}.bin`,
    content: Buffer.alloc(900_000, n),
  }))
  await refuses('archive_expands_too_much', 'tar.gz', tarGz(page, ...parts), large)
})
