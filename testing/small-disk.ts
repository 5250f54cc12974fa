import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { temporaryFolder } from './temporary-folder.ts'

/** A separate disk of this many MiB, with room for so many files. Only root can mount it. */
export async function smallDisk(
  mebibytes: number,
  files = 100_000,
): Promise<{ path: string } & AsyncDisposable> {
  const folder = await temporaryFolder('masthead-disk')
  const options = `size=${mebibytes}m,nr_inodes=${files}`
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder.path])
  return {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', folder.path])
      await folder.remove()
    },
  }
}

/** Writes to the file until its disk has no room left, not even for one more block. */
export function fillDisk(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const size of [2 ** 20, 4096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size))
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      }
    }
  } finally {
    closeSync(file)
  }
}
