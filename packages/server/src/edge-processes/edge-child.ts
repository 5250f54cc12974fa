import { type ChildProcess, fork } from 'node:child_process'
import { StartError } from '../kernel/process-lifetime.ts'
import { createCatchUpCall } from './catch-up-call.ts'
import type { FromEdge, StartOrder, ToEdge } from './messages.ts'

/** Long for a process that lives; its event loop may be busy with a burst of requests. */
const patience = 1_000
/** What a process gets beyond its grace to close the database and go. */
const timeToGo = 1_000

export interface EdgeLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface EdgeChild {
  readonly pid: number | undefined
  isServing(): boolean
  /** Rejects where it ends before. */
  readonly serving: Promise<void>
  /** How it ended. It never rejects. */
  readonly ended: Promise<string>
  /** Resolves when it serves nothing any more that was changed before, or does not answer in time. */
  catchUp(): Promise<void>
  stop(graceMs: number): Promise<void>
}

/** Starts an edge in a process of its own. It ends when this process does, however that comes about. */
export function forkEdge(program: string, order: StartOrder, log: EdgeLog): EdgeChild {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { pid } = child
  const ended = endOf(child)
  const served = Promise.withResolvers<void>()
  const call = createCatchUpCall({
    send: () => send({ kind: 'catch-up' }),
    patience,
    onLate: () => log.warn({ edge: pid }, 'an edge process does not answer'),
  })
  let isServing = false

  child.on('message', ({ kind }: FromEdge) => {
    if (kind === 'serving') {
      isServing = true
      log.info({ edge: pid }, 'an edge process serves')
      served.resolve()
      call.answered()
    } else if (kind === 'caught-up') call.answered()
  })
  void ended.then((how) => {
    isServing = false
    call.close()
    served.reject(new StartError(`An edge process ended (${how}) before it served. See what it wrote above.`))
  })
  // Whoever waits for it hears of it; after the start nobody does.
  served.promise.catch(() => {})
  send(order)

  /** One that is gone cannot be told, and `ended` says so. */
  function send(message: ToEdge): void {
    if (child.connected) child.send(message, () => {})
  }

  return {
    pid,
    isServing: () => isServing,
    serving: served.promise,
    ended,
    catchUp: call.ask,
    async stop(graceMs) {
      send({ kind: 'stop', graceMs })
      const end = setTimeout(() => child.kill('SIGKILL'), graceMs + timeToGo)
      await ended
      clearTimeout(end)
    },
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}
