import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { cutOff, isCutOff } from '../../kernel/sockets/cut-off.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { isObserved } from './observed-response.ts'
import { RoundRobin } from './round-robin.ts'

export interface PlatformQueueOptions {
  /** Milliseconds per turn of the event loop in which requests start while nobody visits a site; one starts in any case. */
  msPerTurn: number
  /** Requests of one caller that may wait. */
  perCaller: number
  /** Pipelined requests that may wait on one HTTP/1.1 connection. */
  perConnection: number
  /** Answers visitors whose requests were read in this turn. */
  answerVisitors: () => void
  /** How many requests of visitors were answered so far. */
  visits: () => number
}

export interface PlatformQueue {
  handle: RequestListener
  /**
   * Returns what to call when something has arrived on the connection. It calls `read` when the connection is due: a
   * request that is read then starts immediately. Without visitors it calls `read` now, because reading many connections
   * together costs less.
   */
  readInTurn: ReadInTurn
}

export type ReadInTurn = (socket: Duplex, read: () => void) => () => void

/** Several quick requests in one turn cost a tenth less than one each, but a visitor may have to wait for all of them. */
const defaultOptions: PlatformQueueOptions = {
  msPerTurn: 0.3,
  perCaller: 1_000,
  perConnection: 16,
  answerVisitors() {},
  visits: () => 0,
}

/** After a visit, further ones are expected for this long. */
const visitedForMs = 100
/** Of the time, however many visitors there are. */
const minShare = 0.1

type Exchange = [IncomingMessage, ServerResponse]

interface Work {
  run(): void
  /** Instead, if its caller has too much waiting. */
  drop(): void
}

/**
 * Starts requests for the dashboard and the API a few at a time, round-robin between callers, so that visitors of sites
 * are served in between, and usually one at a time while there are visitors. What arrives on HTTP/1.1 connections is then
 * parsed one at a time too: parsing what many clients sent at once takes longer than a request. On such a connection each
 * request waits for the previous answer: a client that does not read gets no second one. A client with too many waiting
 * requests is cut off.
 */
export function createPlatformQueue(
  listener: RequestListener,
  options: Partial<PlatformQueueOptions> = {},
): PlatformQueue {
  const { msPerTurn, perCaller, perConnection, answerVisitors, visits } = { ...defaultOptions, ...options }
  const waiting = new RoundRobin<Work>()
  const pipelined = new WeakMap<Duplex, Exchange[]>()
  /** The connection that is read because it is due. */
  let due: Duplex | null = null
  let dueSince = 0
  let isScheduled = false
  let knownVisits = 0
  let lastVisitAt = Number.NEGATIVE_INFINITY
  let hasGivenWay = false
  let lastStartAt = 0
  let endOfTurn = 0
  return {
    handle(req, res) {
      if (req.httpVersionMajor >= 2) enqueueExchange([req, res])
      else inOrder([req, res])
    },
    readInTurn(socket, read) {
      let arrivedAt = 0
      const work = {
        run() {
          due = socket
          dueSince = arrivedAt
          read()
          due = null
        },
        drop: () => void socket.destroy(),
      }
      return () => {
        const now = performance.now()
        if (visits() !== knownVisits) lastVisitAt = now
        if (isVisited(now, lastVisitAt)) {
          arrivedAt = now
          enqueue(socket, work)
        } else read()
      }
    },
  }

  function inOrder(exchange: Exchange): void {
    const { socket } = exchange[0]
    const before = pipelined.get(socket)
    if (before === undefined) {
      pipelined.set(socket, [])
      exchange[1].on('close', startNextOf)
      if (socket === due) {
        noteArrival(exchange, dueSince)
        listener(...exchange)
      } else enqueueExchange(exchange)
    } else if (before.length < perConnection) before.push(exchange)
    else cutOff(socket)
  }

  /** Listens to each answer of HTTP/1.1. */
  function startNextOf(this: ServerResponse): void {
    const { socket } = this.req
    const exchange = isCutOff(socket) ? undefined : pipelined.get(socket)?.shift()
    if (exchange === undefined) {
      pipelined.delete(socket)
      return
    }
    exchange[1].on('close', startNextOf)
    // Until now it waited for what its own client asked before.
    noteArrival(exchange, performance.now())
    enqueueExchange(exchange)
  }

  function enqueueExchange([req, res]: Exchange): void {
    const run = () => {
      if (!res.destroyed) listener(req, res)
    }
    enqueue(req.socket, { run, drop: () => res.destroy() })
  }

  function enqueue(socket: Duplex, work: Work): void {
    const caller = callerOf((socket as Socket).remoteAddress ?? '')
    if (waiting.waitingOf(caller) < perCaller) waiting.add(caller, work)
    else work.drop()
    if (isScheduled) return
    isScheduled = true
    lastStartAt = performance.now()
    setImmediate(startSome)
  }

  function startSome(): void {
    answerVisitors()
    const now = performance.now()
    const allVisits = visits()
    const hasVisits = allVisits !== knownVisits
    knownVisits = allVisits
    if (hasVisits) lastVisitAt = now
    // What visitors get in this turn may be sent after us, so we wait for the next one. Not twice in a row, or visitors
    // could stop the API.
    hasGivenWay = hasVisits && !hasGivenWay
    if (hasGivenWay) {
      setImmediate(startSome)
      return
    }
    endOfTurn = now + startTime({ now, lastStartAt, lastVisitAt, msPerTurn })
    lastStartAt = now
    startNext()
  }

  function startNext(): void {
    waiting.take()?.run()
    if (waiting.isEmpty) isScheduled = false
    // Once everything that has begun waits for something outside: ticks come after all pending promises.
    else settled.then(goOnInTick)
  }

  function goOnInTick(): void {
    process.nextTick(goOn)
  }

  function goOn(): void {
    if (performance.now() < endOfTurn) startNext()
    else setImmediate(startSome)
  }
}

const settled = Promise.resolve()

/** For those who measure: a response is created when its request is parsed, which may be long after it arrived. */
function noteArrival([, res]: Exchange, at: number): void {
  if (isObserved(res)) res.arrivedAt = at
}

/** For how long requests are started in this turn; one starts in any case. */
export function startTime({ now, lastStartAt, lastVisitAt, msPerTurn }: StartTimes): number {
  return isVisited(now, lastVisitAt) ? Math.min(msPerTurn, minShare * (now - lastStartAt)) : msPerTurn
}

function isVisited(now: number, lastVisitAt: number): boolean {
  return now - lastVisitAt < visitedForMs
}

interface StartTimes extends Pick<PlatformQueueOptions, 'msPerTurn'> {
  now: number
  lastStartAt: number
  lastVisitAt: number
}
