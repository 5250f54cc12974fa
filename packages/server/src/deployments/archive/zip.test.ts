import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { ZipFile } from 'yazl'
import { inbox } from './archive.test-kit.ts'
import { zip, zip64Extra } from './zip.test-kit.ts'

const page = { name: 'index.html', content: '<h1>Hello</h1>' }

for (const compress of [true, false]) {
  for (const forceZip64Format of [true, false]) {
    const kind = `${compress ? 'deflated' : 'stored'}${forceZip64Format ? ', 64 bits' : ''}`
    test(`archives of another library (${kind}) come back equal`, async (t) => {
      const { contents } = await inbox(t)
      const files: Record<string, Buffer> = {
        'index.html': Buffer.from('hello '.repeat(1000)),
        'ünï/😀.txt': Buffer.from('unicode'),
        'large.bin': randomBytes(400_000),
        'large.txt': Buffer.from('compressible '.repeat(50_000)),
        empty: Buffer.alloc(0),
      }
      const archive = new ZipFile()
      archive.addEmptyDirectory('folder')
      for (const [name, content] of Object.entries(files)) {
        archive.addBuffer(content, name, { compress, forceZip64Format })
      }
      archive.end({ forceZip64Format, comment: 'made by a test' })
      const found = await contents('zip', await buffer(archive.outputStream))
      assert.deepEqual(
        found,
        Object.fromEntries(Object.entries(files).map(([name, file]) => [`/${name}`, file])),
      )
    })
  }
}

for (const [kind, mode] of [
  ['symbolic link', 0o120777],
  ['character device', 0o020644],
  ['block device', 0o060644],
  ['fifo', 0o010644],
  ['socket', 0o140644],
] as const) {
  test(`a ${kind} in a zip is refused and leaves nothing behind`, async (t) => {
    const { refuses } = await inbox(t)
    await refuses('entry_unsupported', 'zip', zip(page, { name: 'odd', content: '/etc/passwd', mode }))
  })
}

test('an encrypted entry is refused', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('entry_unsupported', 'zip', zip(page, { name: 'secret', content: 'x', flags: 0x801 }))
})

test('an entry without a Unix mode is a file', async (t) => {
  const { contents } = await inbox(t)
  assert.deepEqual(Object.keys(await contents('zip', zip({ ...page, mode: 0 }))), ['/index.html'])
})

test('content that does not match its checksum is refused', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('archive_invalid', 'zip', zip(page, { name: 'b', content: 'x', crc: 1 }))
  await refuses('archive_invalid', 'zip', zip(page, { name: 'b', content: 'x', crc: 1, stored: true }))
})

test('wrong sizes are refused, small and large', async (t) => {
  const { refuses } = await inbox(t)
  const large = Buffer.alloc(900_000)
  for (const content of ['four', large]) {
    for (const size of [0, 1, content.length - 1, content.length + 1, 950_000]) {
      await refuses('archive_invalid', 'zip', zip(page, { name: 'b', content, size }))
      await refuses('archive_invalid', 'zip', zip(page, { name: 'b', content, size, stored: true }))
    }
  }
})

test('a bomb is refused, whether it declares its size or not', async (t) => {
  const { refuses } = await inbox(t)
  const bomb = { name: 'bomb', content: Buffer.alloc(20_000_000) }
  await refuses('file_too_large', 'zip', zip(bomb))
  await refuses('archive_invalid', 'zip', zip({ ...bomb, size: 900_000 }))
  await refuses('archive_invalid', 'zip', zip({ ...bomb, size: 10 }))
})

test('entries that share one body are refused before anything is written', async (t) => {
  const { refuses } = await inbox(t)
  const body = { content: Buffer.alloc(900_000), offset: 0 }
  const names = ['0', '1', '2', '3']
  // Local names are not compared, so all of them can point to the first.
  await refuses('archive_invalid', 'zip', zip(...names.map((name) => ({ ...body, name }))))
})

test('a zip larger than a deployment is refused while it arrives', async (t) => {
  const { refuses } = await inbox(t)
  let sent = 0
  async function* endless() {
    for (;;) {
      sent += 65_536
      yield Buffer.alloc(65_536)
    }
  }
  await refuses('deployment_too_large', 'zip', endless())
  assert.ok(sent < 3_100_000)
})

test('other compressions are refused', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('archive_invalid', 'zip', zip({ ...page, method: 14 }))
})

test('offsets outside the file, however large, are refused', async (t) => {
  const { refuses } = await inbox(t)
  for (const offset of [2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
    const archive = zip({ ...page, offset: 0xffffffff, extra: zip64Extra(offset) })
    await refuses('archive_truncated', 'zip', archive)

    const locator = Buffer.alloc(20)
    locator.write('PK\x06\x07', 'latin1')
    locator.writeBigUInt64LE(offset, 8)
    const honest = zip(page)
    await refuses(
      'archive_truncated',
      'zip',
      Buffer.concat([honest.subarray(0, -22), locator, honest.subarray(-22)]),
    )
  }
})

test('a name is UTF-8 with or without the flag, and by an extra field too', async (t) => {
  const { contents } = await inbox(t)
  assert.deepEqual(Object.keys(await contents('zip', zip({ name: 'é', flags: 0 }))), ['/é'])

  const unicode = Buffer.from('é.txt')
  const extra = Buffer.alloc(9 + unicode.byteLength)
  extra.writeUInt16LE(0x7075, 0)
  extra.writeUInt16LE(5 + unicode.byteLength, 2)
  extra[4] = 1
  extra.writeUInt32LE(crc32('#U00e9.txt'), 5)
  extra.set(unicode, 9)
  assert.deepEqual(Object.keys(await contents('zip', zip({ name: '#U00e9.txt', extra }))), ['/é.txt'])
})

test('a name that is not UTF-8 is refused and leaves nothing behind', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('path_invalid', 'zip', zip(page, { name: Buffer.from([0x82, 0x2e, 0x74]), flags: 0 }))
})

test('backslashes of Windows PowerShell separate folders, and hide nothing that must not be published', async (t) => {
  const { contents, refuses } = await inbox(t)
  const dos = (name: string, content = name) => ({ name, content, mode: 0, madeBy: 0, flags: 0 })
  for (const name of ['..\\index.html', '\\index.html', 'C:\\index.html', 'a/b\\c.html']) {
    await refuses('path_invalid', 'zip', zip(page, dos(name)))
  }
  await refuses('path_invalid', 'zip', zip(page, { name: 'a\\b.html', content: 'made by Unix' }))
  const archive = zip(
    ...[dos('site\\', ''), dos('site\\index.html'), dos('site\\css\\a.css')],
    ...[dos('site\\.git\\config'), dos('site\\.env')],
  )
  assert.deepEqual(Object.keys(await contents('zip', archive)).sort(), ['/css/a.css', '/index.html'])
})

test('a body that is not a zip is refused as such', async (t) => {
  const { refuses } = await inbox(t)
  await refuses('archive_invalid', 'zip', Buffer.from('<html>not a zip, but long enough to be one</html>'))
})

test('overlapping entries are refused before anything is written', async (t) => {
  const { refuses } = await inbox(t)
  const inner = zip({ name: 'inner', content: 'x'.repeat(2_000), stored: true })
  const outer = { name: 'outer', content: inner, stored: true }
  const honest = zip(outer, page)
  const start = honest.indexOf('inner') - 30
  // The second entry in the directory is part of the content of the first.
  const overlapping = zip(outer, { name: 'inner', content: 'x'.repeat(2_000), stored: true, offset: start })
  await refuses('archive_invalid', 'zip', overlapping)
  await refuses('archive_invalid', 'zip', zip(page, { ...page, name: 'same', offset: 0 }))
})

test('an archive with an absurd declared ratio is refused', async (t) => {
  const { refuses } = await inbox(t)
  const large = { bytesPerFile: 100_000_000, bytesPerDeployment: 1_000_000_000 }
  const bomb = { name: 'zeros.bin', content: Buffer.alloc(40_000_000) }
  await refuses('archive_expands_too_much', 'zip', zip(page, bomb), large)
  const parts = Array.from({ length: 60 }, (_, n) => ({ name: `${n}.bin`, content: Buffer.alloc(900_000) }))
  await refuses('archive_expands_too_much', 'zip', zip(...parts), large)
})

test('entries that are never read do not hide an absurd ratio', async (t) => {
  const { refuses } = await inbox(t)
  const large = { bytesPerFile: 100_000_000, bytesPerDeployment: 1_000_000_000 }
  const bomb = { name: 'zeros.bin', content: Buffer.alloc(40_000_000) }
  for (const name of ['folder/', '.git/objects', 'node_modules/a.js']) {
    const unread = { name, packedSize: 0xfffffffe }
    await refuses('archive_truncated', 'zip', zip(page, bomb, unread), large)
  }
})
