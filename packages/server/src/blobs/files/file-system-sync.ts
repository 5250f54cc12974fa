import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { release } from 'node:os'

/** Reads the path of a folder per line. A shell that stays, because starting a program from a large process is slow. */
const script = 'while IFS= read -r folder; do if sync -f "$folder"; then echo ok; else echo failed; fi; done'

/** Somebody else may have gigabytes to write to the same disk. */
const maxWaitMs = 1_000
const pausedAfterFailureMs = 60_000
const stopsAfterIdleMs = 10_000

export interface FileSystemSyncOptions {
  /** For `sh`. */
  script?: string
  maxWaitMs?: number
}

/**
 * Syncs whole file systems, for which Node has no call. Call `sync` again only after its answer. Nothing depends on it:
 * when it cannot work, or takes long, it says so and is not tried again for a while.
 */
export class FileSystemSync {
  readonly #script: string
  readonly #maxWaitMs: number
  #shell: ChildProcess | null = null
  #answer: ((isSynced: boolean) => void) | null = null
  #pausedUntil = reportsErrors() ? 0 : Number.POSITIVE_INFINITY
  #idle: NodeJS.Timeout | undefined

  constructor(options: FileSystemSyncOptions = {}) {
    this.#script = options.script ?? script
    this.#maxWaitMs = options.maxWaitMs ?? maxWaitMs
  }

  /** False unless everything that was written to the file system of this folder is on the disk. */
  async sync(folder: string): Promise<boolean> {
    if (performance.now() < this.#pausedUntil || folder.includes('\n')) return false
    clearTimeout(this.#idle)
    // A shell that cannot be started is refused in one of several ways, of which some throw.
    const isSynced = await this.#ask(folder).catch(() => false)
    if (isSynced) this.#idle = setTimeout(() => this.#stop(), stopsAfterIdleMs).unref()
    else {
      this.#pausedUntil = performance.now() + pausedAfterFailureMs
      this.#stop()
    }
    return isSynced
  }

  #ask(folder: string): Promise<boolean> {
    return new Promise((resolve) => {
      const tooSlow = setTimeout(() => this.#answer?.(false), this.#maxWaitMs)
      this.#answer = (isSynced) => {
        clearTimeout(tooSlow)
        this.#answer = null
        resolve(isSynced)
      }
      this.#shell ??= this.#start()
      this.#shell.stdin?.write(`${folder}\n`)
    })
  }

  #start(): ChildProcess {
    const shell = spawn('sh', ['-c', this.#script], { stdio: ['pipe', 'pipe', 'ignore'] })
    const fail = () => {
      if (this.#shell !== shell) return
      this.#shell = null
      this.#answer?.(false)
    }
    // First of all: without descriptors for pipes it has neither of the streams below.
    shell.on('error', fail)
    shell.on('exit', fail)
    // While it is asked, the timer keeps us running.
    for (const part of [shell, shell.stdin as Socket, shell.stdout as Socket]) part.unref()
    shell.stdin.on('error', fail)
    shell.stdout.on('data', (line: Buffer) => {
      if (this.#shell === shell) this.#answer?.(line.toString() === 'ok\n')
    })
    return shell
  }

  #stop(): void {
    const shell = this.#shell
    this.#shell = null
    shell?.kill('SIGKILL')
    // What it has started may run on, and would keep this end open.
    shell?.stdin?.destroy()
    shell?.stdout?.destroy()
  }
}

/** Since Linux 5.8, a sync of the file system fails if a file could not be written. Elsewhere it may not even wait. */
function reportsErrors(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8))
}
