import { closeSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { FileSystemSync } from './file-system-sync.ts'
import { createFileSync } from './sync-files.ts'

export type FileTask =
  /** Durable when done, and all removed on failure. The buffer is transferred. */
  | { kind: 'write'; bytes: Uint8Array<ArrayBuffer>; files: { path: string; start: number; size: number }[] }
  /** Some may be moved on failure. */
  | { kind: 'move'; files: { from: string; to: string }[] }

export interface FileThreadRequest {
  id: number
  task: FileTask
}

export interface FileThreadReply {
  id: number
  /** Cloning an error would lose its code. */
  failure?: { message: string; code?: string | undefined; errno?: number | undefined }
}

const sync = createFileSync(new FileSystemSync())

async function writeAll({ bytes, files }: Extract<FileTask, { kind: 'write' }>): Promise<void> {
  const written: string[] = []
  try {
    for (const { path, start, size } of files) {
      const file = openSync(path, 'wx', 0o600)
      written.push(path)
      try {
        writeFileSync(file, bytes.subarray(start, start + size))
      } finally {
        closeSync(file)
      }
    }
    await sync(written)
  } catch (error) {
    // The error that made us stop is the one to report, even if the disk fails for good.
    for (const path of written) removeIfPossible(path)
    throw error
  }
}

function removeIfPossible(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // What stays in the staging folder is removed a day later.
  }
}

/** The folder nearly always exists, so it is only created if the rename fails. */
function move({ from, to }: { from: string; to: string }): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    renameSync(from, to)
  }
}

async function perform(task: FileTask): Promise<void> {
  if (task.kind === 'write') await writeAll(task)
  else for (const file of task.files) move(file)
}

parentPort?.on('message', ({ id, task }: FileThreadRequest) => {
  const reply = (answer: FileThreadReply) => parentPort?.postMessage(answer)
  perform(task).then(
    () => reply({ id }),
    ({ message, code, errno }: NodeJS.ErrnoException) => reply({ id, failure: { message, code, errno } }),
  )
})
