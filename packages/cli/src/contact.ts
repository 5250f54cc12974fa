import { connect } from 'node:net'
import { NobodyThereError } from '@masthead/client/errors.ts'
import type { Output } from './terminal/output.ts'

/** Until then a server may be slow; afterwards we look whether there is one. */
const patienceMs = 1_200
/** Together with the patience less than two seconds. */
const connectMs = 600
const silenceMs = 1_000
/** Where nobody watches, such as in the log of a pipeline, one line is enough, and only if it explains something. */
const logAfterSeconds = 10

export interface ContactOptions {
  server: string
  out: Output
  fetch?: typeof globalThis.fetch
  /** Called with the version that an answer of the server names. */
  onVersion?: (version: string) => void
}

/** Fetches, says when it takes long, and gives up early on a server that nobody answers at. */
export function createContact({
  server,
  out,
  fetch = globalThis.fetch,
  onVersion,
}: ContactOptions): typeof globalThis.fetch {
  let isReached = false
  let waiting = 0
  let stopShowing = () => {}

  return async (url, init = {}) => {
    const giveUp = new AbortController()
    const signals = [giveUp.signal, ...(init.signal ? [init.signal] : [])]
    const patience = isReached ? undefined : setTimeout(() => void findOut(giveUp), patienceMs)
    if (waiting++ === 0) stopShowing = showWaiting(server, out)
    try {
      const answer = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
      isReached = true
      const version = answer.headers.get('masthead-version')
      if (version !== null) onVersion?.(version)
      return answer
    } finally {
      clearTimeout(patience)
      if (--waiting === 0) stopShowing()
    }
  }

  async function findOut(giveUp: AbortController): Promise<void> {
    const failure = await tryToConnect(new URL(server))
    if (failure === null || isReached) return
    giveUp.abort(new NobodyThereError(`Nothing listens at ${server}`, { cause: failure }))
  }
}

/** Null if something listens there. */
function tryToConnect({ hostname, port, protocol }: URL): Promise<Error | null> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
  return new Promise((resolve) => {
    const socket = connect(target)
    const finish = (failure: Error | null) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(failure)
    }
    const timedOut = Object.assign(new Error('no answer'), {
      code: 'ETIMEDOUT',
      address: host,
      port: target.port,
    })
    // On a busy machine the connection may be there already: events come before `setImmediate`.
    const timer = setTimeout(() => setImmediate(() => finish(timedOut)), connectMs)
    socket.once('connect', () => finish(null))
    socket.once('error', finish)
  })
}

/** A line once a second of silence has passed. Returns the function that ends it. */
function showWaiting(server: string, out: Output): () => void {
  if (!out.chatty) return () => {}
  const { host } = new URL(server)
  const started = performance.now()
  let line: readonly string[] = []
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000)
    const next = [`Waiting for ${host}… ${seconds} s`]
    if (out.stderr.isTTY) {
      if (out.drawUnlessBusy(next, line)) line = next
    } else if (seconds === logAfterSeconds) out.note(`Waiting for ${host}…`)
  }, silenceMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    out.clearIf(line)
  }
}
