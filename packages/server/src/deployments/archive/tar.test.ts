import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { inChunks } from './archive.test-kit.ts'
import { endOfArchive, paxPart, sealed, type TarPart, tar, tarPart } from './tar.test-kit.ts'
import { readTar } from './tar.ts'

async function list(archive: Uint8Array, chunkSize = 100): Promise<Record<string, string | null>> {
  const found = new Map<string, string | null>()
  for await (const entry of readTar(inChunks(archive, chunkSize))) {
    found.set(entry.name, entry.kind === 'file' ? (await buffer(entry.content)).toString() : null)
  }
  // Not by assignment, because a file may be named `__proto__`.
  return Object.fromEntries(found)
}

async function refused(archive: Uint8Array, code: string, detail?: RegExp): Promise<void> {
  await assert.rejects(list(archive), { name: 'Problem', code, ...(detail && { message: detail }) })
}

const page: TarPart = { name: 'index.html', content: '<h1>Hello</h1>' }

test('files and folders are listed with their contents', async () => {
  const archive = tar({ name: './', type: '5' }, page, { name: 'a/', type: '5' }, { name: 'a/empty' })
  assert.deepEqual(await list(archive), {
    './': null,
    'index.html': '<h1>Hello</h1>',
    'a/': null,
    'a/empty': '',
  })
})

test('unread content is skipped', async () => {
  const names: string[] = []
  for await (const { name } of readTar(inChunks(tar({ name: 'big', content: 'x'.repeat(5000) }, page))))
    names.push(name)
  assert.deepEqual(names, ['big', 'index.html'])
})

test('partly read content is skipped to its end', async () => {
  const names: string[] = []
  for await (const entry of readTar(inChunks(tar({ name: 'big', content: 'x'.repeat(5000) }, page), 100))) {
    names.push(entry.name)
    if (entry.kind === 'file') for await (const _ of entry.content) break
  }
  assert.deepEqual(names, ['big', 'index.html'])
})

/** How small files are read when they are staged. */
async function listWhole(archive: Uint8Array, chunkSize: number): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const entry of readTar(inChunks(archive, chunkSize))) {
    if (entry.kind === 'file') found.set(entry.name, Buffer.from((await entry.whole?.()) ?? '').toString())
  }
  return found
}

test('content read in one piece is the same, wherever the archive is cut', async () => {
  const contents = ['', 'x', 'y'.repeat(511), 'z'.repeat(512), '0123456789'.repeat(500)]
  const parts = contents.map((content, index) => ({ name: `${index}`, content }))
  const archive = tar(...parts, page)
  for (const chunkSize of [1, 100, 511, 512, 513, 5_000, archive.length]) {
    const found = await listWhole(archive, chunkSize)
    assert.deepEqual([...found.values()], [...contents, page.content], `in chunks of ${chunkSize} bytes`)
    await assert.rejects(listWhole(archive.subarray(0, 4_000), chunkSize), { code: 'archive_truncated' })
  }
})

test('a ustar prefix comes before the name, and a GNU header has none', async () => {
  const posix = tar({ name: 'page.html', prefix: 'deep/folder' })
  const gnu = tar({ name: 'page.html', prefix: 'not a prefix', magic: 'ustar  \0' })
  const v7 = tar({ name: 'page.html', magic: '', type: '\0' }, { name: 'old/', magic: '', type: '\0' })
  assert.deepEqual(await list(posix), { 'deep/folder/page.html': '' })
  assert.deepEqual(await list(gnu), { 'page.html': '' })
  assert.deepEqual(await list(v7), { 'page.html': '', 'old/': null })
})

test('a GNU long name and a pax path apply to one entry only', async () => {
  const long = 'n'.repeat(300)
  const archive = tar(
    { name: '././@LongLink', type: 'L', content: `${long}\0` },
    page,
    paxPart({ path: 'späte/Datei', mtime: '1.5' }),
    { name: 'short', content: 'two' },
    { name: 'third' },
  )
  assert.deepEqual(await list(archive), { [long]: '<h1>Hello</h1>', 'späte/Datei': 'two', third: '' })
})

test('a pax size replaces the one in the header', async () => {
  const archive = tar(
    paxPart({ size: '3' }),
    tarPart({ name: 'a', content: 'abc', size: '00000000000\0' }),
    page,
  )
  assert.deepEqual(await list(archive), { a: 'abc', 'index.html': '<h1>Hello</h1>' })
})

test('a global pax header applies until it is reset, and a local one wins', async () => {
  const archive = tar(
    paxPart({ comment: 'a commit', path: 'everywhere' }, 'g'),
    { name: 'a' },
    paxPart({ path: 'here' }),
    { name: 'b' },
    paxPart({ path: '' }, 'g'),
    { name: 'c' },
  )
  assert.deepEqual(await list(archive), { everywhere: '', here: '', c: '' })
})

test('a size in base 256 is supported', async () => {
  const size = Buffer.alloc(12)
  size[0] = 0x80
  size[11] = 3
  assert.deepEqual(await list(tar({ name: 'a', content: 'abc', size })), { a: 'abc' })
})

for (const [type, kind] of Object.entries({
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a fifo',
  '7': 'a contiguous file',
  S: 'a sparse file',
  V: 'of an unknown kind',
  Z: 'of an unknown kind',
})) {
  test(`an entry of type ${type} is refused as ${kind}`, async () => {
    const archive = tar(page, { name: 'odd/one', type, linkName: '/etc/passwd' })
    await refused(archive, 'entry_unsupported', new RegExp(`"odd/one" is ${kind}`))
  })
}

test('a sparse file of the pax kind is refused', async () => {
  await refused(tar(paxPart({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0' }), page), 'entry_unsupported')
})

test('an archive that ends at any block before its end is refused as truncated', async () => {
  const archive = tar({ name: 'a/', type: '5' }, page, paxPart({ path: 'x' }), {
    name: 'b',
    content: 'y'.repeat(2000),
  })
  for (let end = 0; end < archive.byteLength; end += 512) {
    await refused(archive.subarray(0, end), 'archive_truncated')
  }
  await refused(archive.subarray(0, 700), 'archive_truncated')
})

test('a size may be padded with spaces or zeros, and must be octal', async () => {
  for (const size of [
    '5\0',
    '00000000005\0',
    '000000000005',
    '          5\0',
    '5          \0',
    ' 5 \0\x0077',
    '\t5\0',
  ]) {
    assert.deepEqual(
      await list(tar({ name: 'a', content: 'hello', size })),
      { a: 'hello' },
      JSON.stringify(size),
    )
  }
  assert.deepEqual(await list(tar({ name: 'a', size: Buffer.alloc(12) })), { a: '' })
  for (const size of ['8\0', '5x\0', '-5\0', '5 5\0', '0x5\0', '5.0\0']) {
    await refused(tar({ name: 'a', content: 'hello', size }), 'archive_invalid', /number/)
  }
})

test('a wrong checksum, a gap and anything after the end are refused', async () => {
  const damaged = tar(page)
  damaged[3] = 0x41
  await refused(damaged, 'archive_invalid', /checksum/)
  await refused(
    Buffer.concat([tarPart(page), Buffer.alloc(512), tarPart(page), endOfArchive]),
    'archive_invalid',
  )
  await refused(Buffer.concat([tar(page), Buffer.from('more')]), 'archive_invalid')
  assert.deepEqual(await list(Buffer.concat([tar(page), Buffer.alloc(9000)])), {
    'index.html': '<h1>Hello</h1>',
  })
})

test('invalid sizes are refused', async () => {
  const negative = Buffer.alloc(12, 0xff)
  const enormous = Buffer.alloc(12, 0xff)
  enormous[0] = 0x80
  for (const size of [negative, enormous, '9999999999\0\0', '-0000000001\0', '0x000000000\0']) {
    await refused(tar({ name: 'a', size }), 'archive_invalid')
  }
  for (const size of ['-1', '1e3', '0x10', ' 1', '99999999999999999999', '1.5']) {
    await refused(tar(paxPart({ size }), page), 'archive_invalid')
  }
})

test('extended headers that lie about their length are refused', async () => {
  for (const content of [
    '999 path=x\n',
    '5 path=x\n',
    'path=x\n',
    '11 pathxyz\n',
    '0 path=x\n',
    '10 path=xyz',
    '-9 path=x\n',
    '9 path=x\0',
  ]) {
    await refused(tar({ name: 'PaxHeader', type: 'x', content }, page), 'archive_invalid')
  }
})

test('an extended header or name of more than 64 KiB is refused before it is read', async () => {
  for (const type of ['x', 'g', 'L', 'K']) {
    const header = tarPart({ name: 'huge', type, size: '77777777777\0' })
    let read = 0
    async function* endless() {
      yield header
      for (;;) {
        read++
        yield Buffer.alloc(65_536)
      }
    }
    await assert.rejects(Array.fromAsync(readTar(endless())), { code: 'archive_invalid' })
    assert.equal(read, 0)
  }
})

test('names that are not UTF-8 are refused', async () => {
  await refused(tar({ name: Buffer.from([0x61, 0xff]) }), 'path_invalid')
  const pax = paxPart({ path: 'aXb' })
  pax[pax.indexOf('aXb') + 1] = 0xff
  await refused(tar(pax, page), 'path_invalid')
})

test('random blocks, even with a right checksum, end in a Problem and nothing else', async () => {
  const block = fc.oneof(
    fc.uint8Array({ minLength: 512, maxLength: 512 }).map((bytes) => sealed(Buffer.from(bytes))),
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(tarPart(page), paxPart({ size: '700' }), paxPart({ path: 'p' }), endOfArchive),
    fc
      .record({ type: fc.constantFrom('x', 'g', 'L', '0', '5'), content: fc.string({ unit: anyCharacter }) })
      .map((part) => tarPart({ name: 'n', ...part })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 6 }), async (blocks) => {
      try {
        await list(Buffer.concat(blocks))
      } catch (error) {
        assert.equal((error as Error).name, 'Problem', String(error))
      }
    }),
    { numRuns: 500 },
  )
})

test('packed files come back equal, however the stream is chunked', async () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 150 })
    .map((s) => s.replace(/[\0/]/g, '_'))
  const files = fc.dictionary(name, fc.string({ unit: 'binary-ascii', maxLength: 1500 }), {
    maxKeys: 5,
    noNullPrototype: true,
  })
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 2000 }), async (files, chunkSize) => {
      const parts = Object.entries(files).flatMap(([path, content]) => [
        paxPart({ path }),
        tarPart({ name: 'x', content }),
      ])
      assert.deepEqual(await list(tar(...parts), chunkSize), files)
    }),
    { numRuns: 200 },
  )
})

function folderWith(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'masthead-tar-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

const systemTar = (folder: string, ...options: string[]) =>
  execFileSync('tar', [...options, '-C', folder, '-cf', '-', '.'])

for (const format of ['ustar', 'gnu', 'pax', 'v7']) {
  test(`what the system's tar writes as ${format} is read back`, async (t) => {
    const files: Record<string, string> = {
      './index.html': 'hello',
      './ünï/😀.txt': 'unicode',
      './empty': '',
    }
    if (format !== 'v7') files[`./${'deep/'.repeat(20)}${'n'.repeat(90)}.html`] = 'split over name and prefix'
    if (format === 'gnu' || format === 'pax') files[`./${'ö'.repeat(120)}`] = 'longer than any field'
    const found = await list(systemTar(folderWith(t, files), `--format=${format}`), 4096)
    const contents = Object.entries(found).filter(([, content]) => content !== null)
    assert.deepEqual(Object.fromEntries(contents), files)
  })
}

test("links and sparse files as the system's tar writes them are refused", async (t) => {
  const linked = folderWith(t, { a: 'x' })
  linkSync(join(linked, 'a'), join(linked, 'b'))
  await refused(systemTar(linked), 'entry_unsupported', /hard link/)

  const pointing = folderWith(t, {})
  symlinkSync('/etc/passwd', join(pointing, 'passwd'))
  await refused(systemTar(pointing), 'entry_unsupported', /symbolic link/)

  for (const format of ['gnu', 'pax']) {
    const sparse = folderWith(t, { holes: '' })
    truncateSync(join(sparse, 'holes'), 1_000_000)
    await refused(systemTar(sparse, '--sparse', `--format=${format}`), 'entry_unsupported', /sparse/)
  }
})
