import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Halts a process, if it still runs: connections stay open, and nothing is answered. Linux only. */
export function pauseProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP')
  } catch (error) {
    if (hasEnded(error)) return
    throw error
  }
  // The signal stops one thread after the other; on a busy machine another one could still answer a request.
  while (existsSync(`/proc/${pid}`) && !isStopped(pid)) Atomics.wait(never, 0, 0, 1)
}

const never = new Int32Array(new SharedArrayBuffer(4))

function isStopped(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      // The state follows the name, which may have spaces and parentheses.
      const state = status.slice(status.lastIndexOf(')') + 2)[0]
      return state === 'T' || state === 'Z'
    })
  } catch (error) {
    if (hasEnded(error)) return false
    throw error
  }
}

function hasEnded(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ESRCH'
}
