import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Says whether it took the bytes. The next read of any socket overwrites them. */
export type TakeBytes = (buffer: Buffer, length: number) => boolean

/** Whether the socket is read so; others are read by their `data` events as ever. */
export type ReadInPlace = (socket: Duplex, take: TakeBytes) => boolean

const longestRead = 64 * 1024

/** Who takes the bytes of each socket that is read in place. */
const takers = new WeakMap<Duplex, { take: TakeBytes }>()

/** From now on drops what arrives, without allocating anything for it. False: this socket is not read in place. */
export function dropInPlace(socket: Duplex, onDrop: (length: number) => void): boolean {
  const taker = takers.get(socket)
  if (taker === undefined) return false
  taker.take = (_, length) => {
    onDrop(length)
    return true
  }
  return true
}

/**
 * Reads many sockets by one buffer, without a stream between: node can do so (`onread`), but offers it only to who
 * connects and not to who accepts. Where it keeps what `onread` says is therefore looked up on a socket that was made
 * with it, and said of sockets that were accepted. Bytes that are not taken go into the stream.
 */
export function createInPlaceReader(): ReadInPlace {
  const buffer = Buffer.allocUnsafeSlow(longestRead)
  const kept = findOnRead(buffer)
  return (socket, take) => {
    if (kept === null || !(socket instanceof Socket)) return false
    const handle: unknown = Reflect.get(socket, '_handle')
    if (!canUseBuffer(handle) || !kept.every((place) => Object.hasOwn(socket, place))) return false
    const [bufferPlace, callbackPlace] = kept
    const taker = { take }
    takers.set(socket, taker)
    const receive = (length: number): boolean =>
      taker.take(buffer, length) || socket.push(Buffer.from(buffer.subarray(0, length)))
    Reflect.set(socket, callbackPlace, receive)
    Reflect.set(socket, bufferPlace, buffer)
    handle.useUserBuffer(buffer)
    return true
  }
}

/** Null where this node does it in another way, and on Windows, which fills the buffers of many sockets at a time. */
function findOnRead(buffer: Buffer): [buffer: symbol, callback: symbol] | null {
  if (process.platform === 'win32') return null
  const callback = () => true
  const sample = new Socket({ onread: { buffer, callback } })
  const placeOf = (value: unknown) =>
    Object.getOwnPropertySymbols(sample).find((place) => Reflect.get(sample, place) === value)
  const [bufferPlace, callbackPlace] = [placeOf(buffer), placeOf(callback)]
  return bufferPlace === undefined || callbackPlace === undefined ? null : [bufferPlace, callbackPlace]
}

function canUseBuffer(handle: unknown): handle is { useUserBuffer(buffer: Buffer): void } {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'useUserBuffer' in handle &&
    typeof handle.useUserBuffer === 'function'
  )
}
