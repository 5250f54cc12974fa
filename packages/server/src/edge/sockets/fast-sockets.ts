import { Socket } from 'node:net'
import { SharedCopies } from './shared-copies.ts'

/** The bytes up to `length`. The next read of any socket overwrites them. */
export type TakeBytes = (bytes: Buffer, length: number) => void

/** What a write to a handle returns if the system has not taken everything yet. */
export interface WriteRequest {
  /** Keeps the bytes alive until they are written. */
  buffer?: unknown
  oncomplete?: (status: number) => void
  /** Not null if the write finished before `oncomplete` was set. */
  writeStatus: number | null
}

/** The number is 0, or an error code. */
type WriteResult = WriteRequest | number

export interface Handle {
  writeBuffer(request: null, bytes: Buffer): WriteResult
  writev(request: null, parts: Buffer[], areAllBuffers: true): WriteResult
  useUserBuffer(buffer: Buffer): void
}

export interface FastSockets {
  /** Null if this socket can only be used as a stream. */
  handleOf(socket: Socket): Handle | null
  /** A socket that was closed has no handle any more. */
  isOpen(socket: Socket, handle: Handle): boolean
  /** From now on everything that arrives goes to `take`, in one buffer that all sockets share. */
  readInPlace(socket: Socket, handle: Handle, take: TakeBytes): void
  /** From now on the stream gets copies of what arrives, of which small ones share memory. */
  readCopies(socket: Socket, handle: Handle): void
}

const longestRead = 64 * 1024

/**
 * Reads and writes past the streams of sockets, which cost as much as everything we do for a small answer. Node supports
 * reading into a given buffer (`onread`) for outgoing connections only, so we find where a sample socket keeps it, and
 * set that on accepted sockets. Null if this Node works differently, and on Windows, which fills the buffers of several
 * sockets at once. Sockets are then used as streams.
 */
export function findFastSockets(): FastSockets | null {
  try {
    return process.platform === 'win32' ? null : observeNode()
  } catch {
    return null
  }
}

function observeNode(): FastSockets | null {
  const buffer = Buffer.allocUnsafeSlow(longestRead)
  const onread = findOnRead(buffer)
  if (onread === null || !handlesCreateRequests()) return null
  const copies = new SharedCopies()
  /** Reads until `onRead` returns false, then again when the stream asks for more. */
  const useBuffer = (socket: Socket, handle: Handle, onRead: (length: number) => boolean) => {
    Reflect.set(socket, onread.callback, onRead)
    Reflect.set(socket, onread.buffer, buffer)
    handle.useUserBuffer(buffer)
  }
  return {
    handleOf(socket) {
      const handle: unknown = socket instanceof Socket ? Reflect.get(socket, '_handle') : null
      return isHandle(handle) && Object.hasOwn(socket, onread.callback) ? handle : null
    },
    isOpen: (socket, handle) => (socket as { _handle?: unknown })._handle === handle,
    readInPlace(socket, handle, take) {
      useBuffer(socket, handle, (length) => {
        take(buffer, length)
        return true
      })
    },
    readCopies(socket, handle) {
      useBuffer(socket, handle, (length) => socket.push(copies.copy(buffer, length)))
    },
  }
}

/** The symbols under which a socket keeps its `onread`. */
function findOnRead(buffer: Buffer): { buffer: symbol; callback: symbol } | null {
  const take = () => true
  const sample = new Socket({ onread: { buffer, callback: take } })
  const symbolOf = (value: unknown) =>
    Object.getOwnPropertySymbols(sample).find((symbol) => Reflect.get(sample, symbol) === value)
  const [forBuffer, callback] = [symbolOf(buffer), symbolOf(take)]
  return forBuffer === undefined || callback === undefined ? null : { buffer: forBuffer, callback }
}

/** Whether handles create the requests of writes themselves, as we see in writes to a stand-in. */
function handlesCreateRequests(): boolean {
  const asked: unknown[] = []
  const answer = (...words: unknown[]) => {
    asked.push(...words)
    return 0
  }
  const sample = new Socket()
  Reflect.set(sample, '_handle', { writeBuffer: answer, writev: answer })
  const bytes = Buffer.alloc(1)
  sample.write(bytes)
  sample.cork()
  sample.write(bytes)
  sample.write(bytes)
  sample.uncork()
  const [first, second, third, fourth, areAllBuffers] = asked
  const isSingle = first === null && second === bytes
  return isSingle && third === null && Array.isArray(fourth) && fourth[0] === bytes && areAllBuffers === true
}

function isHandle(handle: unknown): handle is Handle {
  if (typeof handle !== 'object' || handle === null) return false
  return ['writeBuffer', 'writev', 'useUserBuffer'].every(
    (name) => typeof Reflect.get(handle, name) === 'function',
  )
}
