import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { callerOf } from '../../limits/caller-address.ts'
import { cutOff, isCutOff } from '../accept/close-connection.ts'

export interface PlatformQueueLimits {
  /** Requests that begin between two looks at the network. */
  perTurn: number
  /** Requests of one caller that wait for their turn. */
  perCaller: number
  /** Requests that wait on one connection of HTTP/1.1 for the answer to another. */
  perConnection: number
}

const defaultLimits: PlatformQueueLimits = { perTurn: 1, perCaller: 1_000, perConnection: 16 }

type Waiting = [IncomingMessage, ServerResponse]

/**
 * Lets requests for the dashboard and the API begin a few at a time, callers in turn, so that however many there are,
 * visitors of sites are served in between. On a connection of HTTP/1.1 each waits for the answer to the one before:
 * whoever does not read gets no second answer to leave unread. Who has too many waiting is cut off.
 */
export function queueRequests(
  listener: RequestListener,
  limits: Partial<PlatformQueueLimits> = {},
): RequestListener {
  const { perTurn, perCaller, perConnection } = { ...defaultLimits, ...limits }
  const waiting = new Map<string, Waiting[]>()
  const pipelined = new WeakMap<Socket, Waiting[]>()
  let isDue = false
  return (req, res) => {
    if (req.httpVersionMajor >= 2) enqueue([req, res])
    else inOrder([req, res])
  }

  function inOrder(asked: Waiting): void {
    const { socket } = asked[0]
    const before = pipelined.get(socket)
    if (before === undefined) {
      pipelined.set(socket, [])
      asked[1].once('close', () => next(socket))
      enqueue(asked)
    } else if (before.length < perConnection) before.push(asked)
    else cutOff(socket)
  }

  function next(socket: Socket): void {
    const asked = isCutOff(socket) ? undefined : pipelined.get(socket)?.shift()
    if (asked === undefined) {
      pipelined.delete(socket)
      return
    }
    asked[1].once('close', () => next(socket))
    enqueue(asked)
  }

  function enqueue(asked: Waiting): void {
    const caller = callerOf(asked[0].socket.remoteAddress ?? '')
    const ofCaller = waiting.get(caller)
    if (ofCaller === undefined) waiting.set(caller, [asked])
    else if (ofCaller.length < perCaller) ofCaller.push(asked)
    else asked[1].destroy()
    if (!isDue) setImmediate(takeTurn)
    isDue = true
  }

  function takeTurn(): void {
    isDue = false
    for (let begun = 0; begun < perTurn && waiting.size > 0; begun++) {
      const [caller, queue] = waiting.entries().next().value ?? ['', []]
      const first = queue.shift()
      waiting.delete(caller)
      // To the end, behind the others.
      if (queue.length > 0) waiting.set(caller, queue)
      if (first !== undefined && !first[1].destroyed) listener(...first)
    }
    if (waiting.size === 0) return
    isDue = true
    setImmediate(takeTurn)
  }
}
