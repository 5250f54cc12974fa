import { open, stat, unlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMissing, unlessMissing } from '../missing.ts'

const heartbeatMs = 1000
/** Process ids would not tell: they are reused, and mean something else in each container. */
const deadAfterMs = 5000
const polling = { first: 5, longest: 100, growth: 1.5 }

/**
 * Keeps processes of a machine from doing the same work twice. Only that depends on it: if a process is taken for dead
 * that is not, a file is fetched twice, and is whole all the same.
 */
export interface FetchLock {
  /** Tells those who wait that the work gets on. */
  progressed(): void
  release(): Promise<void>
}

/** Null if another process has it, or this one. The file says with its times who lives and who gets on. */
export async function tryLock(path: string): Promise<FetchLock | null> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  if (file === null) return null
  let progressedAt = Date.now()
  const beat = () => {
    file.utimes(progressedAt / 1000, Date.now() / 1000).catch(() => {})
  }
  const beating = setInterval(beat, heartbeatMs).unref()
  return {
    progressed() {
      progressedAt = Date.now()
    },
    async release() {
      clearInterval(beating)
      await file.close()
      await unlessMissing(unlink(path), undefined)
    },
  }
}

/** Resolves when the lock is free, or its holder dead. */
export async function untilUnlocked(path: string, onProgress: () => void): Promise<void> {
  let beatAt = 0
  let progressedAt = 0
  let heardAt = performance.now()
  for (let pause = polling.first; ; pause = Math.min(pause * polling.growth, polling.longest)) {
    const lock = await stat(path).catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (lock === null) return
    if (lock.mtimeMs !== beatAt) heardAt = performance.now()
    if (lock.atimeMs !== progressedAt && progressedAt !== 0) onProgress()
    beatAt = lock.mtimeMs
    progressedAt = lock.atimeMs
    if (performance.now() - heardAt > deadAfterMs || Date.now() - beatAt > deadAfterMs) {
      await unlessMissing(unlink(path), undefined)
      return
    }
    await sleep(pause)
  }
}
