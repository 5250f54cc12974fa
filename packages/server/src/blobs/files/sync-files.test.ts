import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { diskForTests, temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { FileSystemSync } from './file-system-sync.ts'
import { createFileSync } from './sync-files.ts'

/** Enough for a sync of the file system. */
const manyFiles = 100
const skip = process.platform !== 'linux' && 'syncs of a file system need Linux'

async function writeFiles(folder: string): Promise<string[]> {
  const paths = Array.from({ length: manyFiles }, (_, index) => join(folder, `file-${index}`))
  await Promise.all(paths.map((path) => writeFile(path, path)))
  return paths
}

/** Does the work, and notes in the folder above that it was asked. */
const counting =
  'while IFS= read -r folder; do echo "$folder" >> "$folder/../asked"; sync -f "$folder" && echo ok; done'

test('files that wait together share one sync of their file system', { skip }, async () => {
  await using above = await temporaryFolder('masthead-sync', diskForTests)
  await using folder = await temporaryFolder('files', above.path)
  const sync = createFileSync(new FileSystemSync({ script: counting }))
  const paths = await writeFiles(folder.path)
  const first = sync(paths)
  await Promise.all([first, ...paths.map((path) => sync([path]))])
  assert.equal(await readFile(join(above.path, 'asked'), 'utf8'), `${folder.path}\n`.repeat(2))
})

test('a few files do not wait for the rest of the disk', async () => {
  await using folder = await temporaryFolder('masthead-sync', diskForTests)
  const unexpected = async () => assert.fail('The file system was synced')
  const [path = ''] = await writeFiles(folder.path)
  await createFileSync({ sync: unexpected })([path])
})

for (const [how, script] of [
  ['fails', 'while read -r folder; do echo failed; done'],
  ['ends', 'exit 0'],
  ['takes long', 'sleep 60'],
] as const) {
  test(`when the sync of a file system ${how}, every file is synced, and it is not tried again`, async () => {
    await using folder = await temporaryFolder('masthead-sync', diskForTests)
    const fileSystem = new FileSystemSync({ script, maxWaitMs: 200 })
    const sync = createFileSync(fileSystem)
    const paths = await writeFiles(folder.path)
    await sync(paths)
    // Only a sync of each file notices that one is missing. Those that wait with it are not affected.
    const results = await Promise.allSettled([
      sync(paths),
      sync([...paths, `${folder.path}/missing`]),
      sync(paths),
    ])
    assert.deepEqual(
      results.map((result) => (result.status === 'rejected' ? result.reason.code : 'synced')),
      ['synced', 'ENOENT', 'synced'],
    )
    assert.equal(await fileSystem.sync(folder.path), false)
  })
}

test('without descriptors for a shell, the sync of a file system fails and nothing else does', {
  skip,
}, async () => {
  const source = new URL('file-system-sync.ts', import.meta.url)
  const script = `
    import { openSync } from 'node:fs'
    import { FileSystemSync } from ${JSON.stringify(source.href)}
    const sync = new FileSystemSync()
    try { for (;;) openSync('/dev/null') } catch {}
    process.exitCode = (await sync.sync('/')) === false ? 7 : 1
    setTimeout(() => {}, 100)`
  const limited = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script]
  const [code] = await once(spawn('sh', limited, { stdio: 'ignore' }), 'exit')
  assert.equal(code, 7)
})
