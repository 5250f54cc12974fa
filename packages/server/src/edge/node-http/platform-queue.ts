import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { callerOf } from '../../limits/caller-address.ts'
import { cutOff, isCutOff } from '../sockets/close-connection.ts'

export interface PlatformQueueOptions {
  /** Milliseconds per turn of the event loop in which requests start while nobody visits a site; one starts in any case. */
  msPerTurn: number
  /** Requests of one caller that may wait. */
  perCaller: number
  /** Pipelined requests that may wait on one HTTP/1.1 connection. */
  perConnection: number
  /** How many requests of visitors were answered so far. */
  visits: () => number
}

/** Several quick requests in one turn cost a tenth less than one each, but a visitor may have to wait for all of them. */
const defaultOptions: PlatformQueueOptions = {
  msPerTurn: 0.3,
  perCaller: 1_000,
  perConnection: 16,
  visits: () => 0,
}

/** After a visit, further ones are expected for this long. */
const visitedForMs = 100
/** Of the time, however many visitors there are. */
const minShare = 0.1

type Exchange = [IncomingMessage, ServerResponse]

/**
 * Starts requests for the dashboard and the API a few at a time, round-robin between callers, so that visitors of sites
 * are served in between, and usually one at a time while there are visitors. On an HTTP/1.1 connection each waits for the
 * previous answer: a client that does not read gets no second one. A client with too many waiting requests is cut off.
 */
export function queueRequests(
  listener: RequestListener,
  options: Partial<PlatformQueueOptions> = {},
): RequestListener {
  const { msPerTurn, perCaller, perConnection, visits } = { ...defaultOptions, ...options }
  const waiting = new Map<string, Exchange[]>()
  const pipelined = new WeakMap<Socket, Exchange[]>()
  let isScheduled = false
  let knownVisits = 0
  let lastVisitAt = Number.NEGATIVE_INFINITY
  let hasGivenWay = false
  let lastStartAt = 0
  return (req, res) => {
    if (req.httpVersionMajor >= 2) enqueue([req, res])
    else inOrder([req, res])
  }

  function inOrder(exchange: Exchange): void {
    const { socket } = exchange[0]
    const before = pipelined.get(socket)
    if (before === undefined) {
      pipelined.set(socket, [])
      exchange[1].once('close', () => next(socket))
      enqueue(exchange)
    } else if (before.length < perConnection) before.push(exchange)
    else cutOff(socket)
  }

  function next(socket: Socket): void {
    const exchange = isCutOff(socket) ? undefined : pipelined.get(socket)?.shift()
    if (exchange === undefined) {
      pipelined.delete(socket)
      return
    }
    exchange[1].once('close', () => next(socket))
    enqueue(exchange)
  }

  function enqueue(exchange: Exchange): void {
    const caller = callerOf(exchange[0].socket.remoteAddress ?? '')
    const ofCaller = waiting.get(caller)
    if (ofCaller === undefined) waiting.set(caller, [exchange])
    else if (ofCaller.length < perCaller) ofCaller.push(exchange)
    else exchange[1].destroy()
    if (isScheduled) return
    isScheduled = true
    lastStartAt = performance.now()
    setImmediate(startSome)
  }

  function startSome(): void {
    const now = performance.now()
    const allVisits = visits()
    const isVisited = allVisits !== knownVisits
    knownVisits = allVisits
    if (isVisited) lastVisitAt = now
    // What visitors get in this turn is sent after us, so we wait for the next one. Not twice in a row, or visitors
    // could stop the API.
    hasGivenWay = isVisited && !hasGivenWay
    if (hasGivenWay) {
      setImmediate(startSome)
      return
    }
    const end = now + startTime({ now, lastStartAt, lastVisitAt, msPerTurn })
    lastStartAt = now
    startNext()
    function startNext(): void {
      startOne()
      if (waiting.size === 0) isScheduled = false
      else whenAllWait(() => (performance.now() < end ? startNext() : setImmediate(startSome)))
    }
  }

  function startOne(): void {
    const [caller, queue] = waiting.entries().next().value ?? ['', []]
    const first = queue.shift()
    waiting.delete(caller)
    // To the end of the round.
    if (queue.length > 0) waiting.set(caller, queue)
    if (first !== undefined && !first[1].destroyed) listener(...first)
  }
}

/** For how long requests are started in this turn; one starts in any case. */
export function startTime({ now, lastStartAt, lastVisitAt, msPerTurn }: StartTimes): number {
  const isVisited = now - lastVisitAt < visitedForMs
  return isVisited ? Math.min(msPerTurn, minShare * (now - lastStartAt)) : msPerTurn
}

interface StartTimes extends Pick<PlatformQueueOptions, 'msPerTurn'> {
  now: number
  lastStartAt: number
  lastVisitAt: number
}

/** Runs once everything that has begun waits for something outside: ticks come after all pending promises. */
function whenAllWait(run: () => void): void {
  queueMicrotask(() => process.nextTick(run))
}
