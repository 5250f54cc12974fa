import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

/** The umask belongs to the process, so this runs in a separate one with the usual umask. */
const program = `
  import { statSync, readdirSync } from 'node:fs'
  import { join } from 'node:path'
  import { openDataFolder } from ${JSON.stringify(import.meta.resolve('./open-storage.ts'))}
  import { openStorage } from ${JSON.stringify(import.meta.resolve('./open-storage.ts'))}
  process.umask(0o022)
  const dataFolder = process.argv[1]
  await openDataFolder(dataFolder, console)
  const storage = await openStorage({ dataFolder, databaseUrl: null, s3: null, cacheBytes: null }, console)
  await storage.database.write((tx) => tx.insertInto('changes').values({ kind: 'k', subject: 's', at: 1 }).execute())
  const modes = { '.': statSync(dataFolder).mode & 0o777 }
  for (const name of readdirSync(dataFolder)) modes[name] = statSync(join(dataFolder, name)).mode & 0o777
  console.log(JSON.stringify(modes))
  await storage.close()`

async function modesAfterOpening(folder: string): Promise<Record<string, number>> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(printed) as Record<string, number>
}

const expected = {
  '.': 0o700,
  blobs: 0o700,
  'in-use.lock': 0o600,
  'masthead.db': 0o600,
  'masthead.db-shm': 0o600,
  'masthead.db-wal': 0o600,
}

test('only the owner can access a new data folder, its database and its files', async () => {
  await using folder = await temporaryFolder('masthead-modes')
  assert.deepEqual(await modesAfterOpening(join(folder.path, 'data')), expected)
})

test('the next start closes a data folder that was open to others', async () => {
  await using folder = await temporaryFolder('masthead-modes')
  const data = join(folder.path, 'data')
  await modesAfterOpening(data)
  await mkdir(join(data, 'blobs'), { recursive: true })
  for (const name of ['.', 'blobs']) await chmod(join(data, name), 0o755)
  await chmod(join(data, 'masthead.db'), 0o644)
  await writeFile(join(data, 'masthead.db-wal'), '', { mode: 0o644 })
  assert.deepEqual(await modesAfterOpening(data), expected)
})
