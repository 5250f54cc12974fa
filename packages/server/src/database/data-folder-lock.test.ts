import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { ownDataFolder, shareDataFolder } from './data-folder-lock.ts'

const holder = `
  import * as lock from ${JSON.stringify(import.meta.resolve('./data-folder-lock.ts'))}
  globalThis.held = lock[process.argv[1]](process.argv[2])
  console.log('held')
  setInterval(() => {}, 1000)`

/** Another process that has the lock. */
async function held(by: 'shareDataFolder' | 'ownDataFolder', folder: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, by, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

test('several servers share the folder, and a command gets it once the last was killed', async () => {
  await using folder = await temporaryFolder()
  const kill = [await held('shareDataFolder', folder.path), await held('shareDataFolder', folder.path)]
  assert.equal(ownDataFolder(folder.path), null)
  for (const one of kill) {
    assert.equal(ownDataFolder(folder.path), null)
    await one()
  }
  const lock = ownDataFolder(folder.path)
  assert.notEqual(lock, null)
  assert.throws(() => shareDataFolder(folder.path), /is using .* Start again when it is done/)
  lock?.release()
  shareDataFolder(folder.path).release()
})

test('a killed command leaves the folder free', async () => {
  await using folder = await temporaryFolder()
  const kill = await held('ownDataFolder', folder.path)
  assert.throws(() => shareDataFolder(folder.path))
  await kill()
  shareDataFolder(folder.path).release()
})
