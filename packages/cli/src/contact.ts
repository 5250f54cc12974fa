import { lookup as systemLookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { NobodyThereError } from '@masthead/client/errors.ts'
import type { AnyFetch } from '@masthead/client/request.ts'
import { isLasting } from './errors/unreachable.ts'
import { fetchOverHttp } from './fetch-over-http.ts'
import type { Output } from './terminal/output.ts'

/** Until then a server may be slow; afterwards we look whether there is one. */
const patienceMs = 900
/** For finding its addresses, and for connecting to them. Together with the patience less than two seconds. */
const lookupMs = 300
const connectMs = 600
/** Of each, at most so many are tried and named. */
const maxAddresses = 4
const silenceMs = 1_000
/** Where nobody watches, such as in the log of a pipeline, one line is enough, and only if it explains something. */
const logAfterSeconds = 10

export interface ContactOptions {
  server: string
  out: Output
  fetch?: AnyFetch
  lookup?: Lookup
  /** Called with the version that an answer of the server names. */
  onVersion?: (version: string) => void
}

type Lookup = (hostname: string, options: { all: true }) => Promise<{ address: string }[]>

/** Fetches, says when it takes long, and gives up early on a server that nobody answers at. */
export function createContact({
  server,
  out,
  fetch = fetchOverHttp,
  lookup = systemLookup,
  onVersion,
}: ContactOptions): AnyFetch {
  let isReached = false
  let startedAt: number | null = null
  let waiting = 0
  let stopShowing = () => {}

  return async (url, init = {}) => {
    startedAt ??= performance.now()
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
    } catch (error) {
      // What cannot change, or took long already, is not tried again.
      const isFinal = isLasting(error) || performance.now() - (startedAt ?? 0) > patienceMs
      if (isReached || !isFinal || init.signal?.aborted || error instanceof NobodyThereError) throw error
      throw new NobodyThereError(`${server} cannot be reached`, { cause: error })
    } finally {
      clearTimeout(patience)
      if (--waiting === 0) stopShowing()
    }
  }

  async function findOut(giveUp: AbortController): Promise<void> {
    const failure = await findFailure(new URL(server), lookup)
    if (failure === null || isReached) return
    giveUp.abort(new NobodyThereError(`Nothing listens at ${server}`, { cause: failure }))
  }
}

/** Why nobody can be reached there; null if something listens. */
async function findFailure({ hostname, port, protocol }: URL, lookup: Lookup): Promise<Error | null> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const silence = Object.assign(new Error('DNS is silent'), { code: 'EAI_AGAIN', hostname: host })
  const found = await within(
    lookupMs,
    lookup(host, { all: true }).catch((error: Error) => error),
    silence,
  )
  if (found instanceof Error) return found
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  const addresses = [...new Set(found.map(({ address }) => address))].slice(0, maxAddresses)
  const failures = await Promise.all(addresses.map((address) => tryToConnect(address, number)))
  if (failures.includes(null)) return null
  return failures.length === 1 ? (failures[0] ?? null) : new AggregateError(failures)
}

/** Null if something listens there. */
function tryToConnect(host: string, port: number): Promise<Error | null> {
  const socket = connect({ host, port })
  const result = new Promise<Error | null>((resolve) => {
    socket.once('connect', () => resolve(null))
    socket.once('error', resolve)
  })
  const timedOut = Object.assign(new Error('no answer'), { code: 'ETIMEDOUT', address: host, port })
  return within(connectMs, result, timedOut).finally(() => socket.destroy())
}

function within<T, U>(ms: number, result: Promise<T>, otherwise: U): Promise<T | U> {
  return new Promise((resolve) => {
    // On a busy machine the result may be there already: its events come before `setImmediate`.
    const timer = setTimeout(() => setImmediate(() => resolve(otherwise)), ms)
    void result.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
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
