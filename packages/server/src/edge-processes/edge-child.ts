import { type ChildProcess, fork } from 'node:child_process'
import { StartError } from '../kernel/program/process-lifetime.ts'
import type { ListeningHandle, ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import { createCatchUpCall } from './catch-up-call.ts'
import type { ProcessMetrics } from './gathered-metrics.ts'
import type { FromEdge, StartOrder, ToEdge } from './messages.ts'
import { createMetricsCall } from './metrics-call.ts'
import { createWatchdog } from './watchdog.ts'

/** Generous, since its event loop may be busy with a burst of requests. */
const catchUpTimeoutMs = 1_000
/** Collectors of metrics give up after 10 seconds by default. */
const metricsTimeoutMs = 1_000
/** On top of its grace period, to close the database and exit. */
const exitTimeoutMs = 1_000

export interface EdgeLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface EdgeChild {
  readonly pid: number | undefined
  isServing(): boolean
  /** Rejects if it ends first. */
  readonly serving: Promise<void>
  /** How it ended: the signal, exit code or error. Never rejects. */
  readonly ended: Promise<string>
  /** Resolves when it has read every change committed before the call, or did not answer in time. */
  catchUp(): Promise<void>
  /** Null if it did not answer in time. */
  metrics(): Promise<ProcessMetrics | null>
  /** The sockets it listens on, or none if it ends first. */
  sockets(): Promise<ListeningSocket[]>
  stop(graceMs: number, idleMs?: number): Promise<void>
}

export interface EdgeOptions {
  /** Sockets to listen on instead of opening its own. */
  inherited?: readonly ListeningSocket[] | undefined
  /** It is killed if it does not answer several pings in a row. */
  pingEveryMs?: number | undefined
}

/** Starts an edge process. It ends when this process ends, even if that is killed. */
export function forkEdge(
  program: string,
  order: StartOrder,
  log: EdgeLog,
  { inherited = [], pingEveryMs }: EdgeOptions = {},
): EdgeChild {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { pid } = child
  const ended = endOf(child)
  const served = Promise.withResolvers<void>()
  const call = createCatchUpCall({
    send: () => send({ kind: 'catch-up' }),
    timeoutMs: catchUpTimeoutMs,
    onLate: () => log.warn({ edge: pid }, 'an edge process is not responding'),
  })
  const metricsCall = createMetricsCall(() => send({ kind: 'metrics' }))
  const watchdog = createWatchdog({
    ping: () => send({ kind: 'ping' }),
    onStuck() {
      log.warn({ edge: pid }, 'an edge process does not respond and is killed')
      child.kill('SIGKILL')
    },
    pingEveryMs,
  })
  let isServing = false

  let offered: ListeningSocket[] = []
  let offering = Promise.withResolvers<ListeningSocket[]>()

  child.on('message', (message: FromEdge, handle: unknown) => {
    const { kind } = message
    if (kind === 'socket') {
      offered.push({ host: message.host, port: message.port, handle: handle as ListeningHandle })
    } else if (kind === 'offered') {
      offering.resolve(offered)
    } else if (kind === 'serving') {
      isServing = true
      log.info({ edge: pid }, 'an edge process is serving')
      served.resolve()
      call.answered()
      watchdog.answered()
    } else if (kind === 'pong') watchdog.answered()
    else if (kind === 'caught-up') call.answered()
    else if (message.kind === 'metrics') metricsCall.answered(message.metrics)
  })
  void ended.then((how) => {
    isServing = false
    call.close()
    metricsCall.close()
    watchdog.stop()
    offering.resolve([])
    served.reject(new StartError(`An edge process ended (${how}) before it was ready. See its output above.`))
  })
  // Only the start of the pool waits for it.
  served.promise.catch(() => {})
  for (const { host, port, handle } of inherited) send({ kind: 'socket', host, port }, handle)
  send(order)

  /** If it has ended meanwhile, `ended` says so. */
  function send(message: ToEdge, handle?: ListeningHandle): void {
    if (child.connected) child.send(message, handle as never, {}, () => {})
  }

  return {
    pid,
    isServing: () => isServing,
    serving: served.promise,
    ended,
    catchUp: call.request,
    metrics: () => metricsCall.request(metricsTimeoutMs),
    sockets() {
      offered = []
      offering = Promise.withResolvers()
      if (child.connected) send({ kind: 'offer-sockets' })
      else offering.resolve([])
      return offering.promise
    },
    async stop(graceMs, idleMs) {
      watchdog.stop()
      send({ kind: 'stop', graceMs, idleMs })
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs + exitTimeoutMs)
      await ended
      clearTimeout(timer)
    },
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}
