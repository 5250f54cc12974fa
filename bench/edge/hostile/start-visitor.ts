import { spawn, spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { clientCore } from '../contenders.ts'

export interface PacedVisitor extends AsyncDisposable {
  /** The milliseconds of each visit. */
  visitFor(seconds: number): Promise<number[]>
}

export interface VisitorOptions {
  /** Over one connection, or each time over a new one with TLS. */
  how: 'kept' | 'new'
  port: number
  host: string
  everyMs: number
}

/** On the client core, before everything else there: its own scheduling must not be measured. */
export function startVisitor({ how, port, host, everyMs }: VisitorOptions): PacedVisitor {
  const program = fileURLToPath(new URL('visitor.ts', import.meta.url))
  const visits = [process.execPath, program, how, String(port), host, String(everyMs)]
  const words = ['-c', String(clientCore), 'chrt', '--fifo', '1', ...visits]
  const child = spawn('taskset', words, { stdio: ['pipe', 'pipe', 'inherit'] })
  killOnExit(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async visitFor(seconds) {
      child.stdin.write(`${seconds}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error('The visitor has ended')
      return JSON.parse(value) as number[]
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
    },
  }
}

/** Includes threads started from now on, until disposed of. */
export function pinToClientCore(): Disposable {
  const keepTo = (cores: string) => spawnSync('taskset', ['-acp', cores, String(process.pid)])
  keepTo(String(clientCore))
  return { [Symbol.dispose]: () => void keepTo(`0-${cpus().length - 1}`) }
}
