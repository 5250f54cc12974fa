import { closeSync, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { FileSystemSync } from './file-system-sync.ts'

const syncFile = promisify(fdatasync)

/** So that several syncs share one flush of the disk, and few files are open. */
const syncedAtOnce = 32
/** Fewer files should not wait for what others write to the same disk. */
const minForFileSystem = 64

interface Waiting {
  paths: readonly string[]
  settled: PromiseWithResolvers<void>
}

/** Makes the given files durable. What is asked for during one sync waits for the next, which is one for all of it. */
export function createFileSync(fileSystem: Pick<FileSystemSync, 'sync'>) {
  let waiting: Waiting[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const together = waiting
      waiting = []
      const isSynced = await syncTogether(together.flatMap(({ paths }) => paths))
      for (const { paths, settled } of together) {
        if (isSynced) settled.resolve()
        else await syncEach(paths).then(settled.resolve, settled.reject)
      }
    }
    isRunning = false
  }

  async function syncTogether(paths: readonly string[]): Promise<boolean> {
    if (paths.length < minForFileSystem) return false
    for (const folder of new Set(paths.map(dirname))) if (!(await fileSystem.sync(folder))) return false
    return true
  }

  return (paths: readonly string[]): Promise<void> => {
    const settled = Promise.withResolvers<void>()
    waiting.push({ paths, settled })
    if (!isRunning) void run()
    return settled.promise
  }
}

async function syncEach(paths: readonly string[]): Promise<void> {
  for (let next = 0; next < paths.length; next += syncedAtOnce) {
    const open: number[] = []
    try {
      for (const path of paths.slice(next, next + syncedAtOnce)) open.push(openSync(path, 'r'))
      const synced = await Promise.allSettled(open.map((file) => syncFile(file)))
      for (const result of synced) if (result.status === 'rejected') throw result.reason
    } finally {
      for (const file of open) closeSync(file)
    }
  }
}
