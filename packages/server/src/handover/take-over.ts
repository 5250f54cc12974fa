import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../kernel/program/process-lifetime.ts'
import type { ListeningHandle, ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import { otherProcessSockets, type SocketPlace } from '../kernel/sockets/process-sockets.ts'
import { connectedFlag, type FromReplaced, type ToReplaced } from './messages.ts'

export interface Takeover {
  sockets: readonly ListeningSocket[]
  /** Call this when this process serves: the other one then stops. */
  serving(): Promise<void>
  /** Resolves when the other process has ended. */
  readonly ended: Promise<void>
}

const standardInput = 0
const checkEvery = 100

/**
 * Connects to the running server and starts this program again with the connection as its channel. Only returns if no
 * server is running. The connection must be standard input, because no other descriptor survives `execve`.
 */
export async function restartConnected(place: SocketPlace, environment: NodeJS.ProcessEnv): Promise<void> {
  const paths = await otherProcessSockets('replace', place)
  if (paths.length === 0) return
  // With its first stream, libuv opens a descriptor of its own. It must not become the standard input.
  connect(`${paths[0]}.none`).on('error', () => {})
  for (const path of paths) {
    closeSync(standardInput)
    const socket = connect(path) as Socket & { _handle: { fd: number } }
    const { fd } = socket._handle
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (!isConnected) continue
    if (fd !== standardInput || process.execve === undefined) {
      throw new StartError(
        'This system does not let a process replace another. Stop the running server first.',
      )
    }
    const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1), connectedFlag]
    const channel = { NODE_CHANNEL_FD: String(fd), NODE_CHANNEL_SERIALIZATION_MODE: 'json' }
    process.execve(process.execPath, args, { ...environment, ...channel })
  }
  closeSync(standardInput)
  openSync('/dev/null', 'r')
}

/** In the process that `restartConnected` has started: receives the sockets of the running server. */
export async function receiveSockets(): Promise<Takeover> {
  const sockets: ListeningSocket[] = []
  const received = Promise.withResolvers<number>()
  const disconnected = new Promise<void>((resolve) => process.once('disconnect', resolve))
  process.on('message', (message: FromReplaced, handle: unknown) => {
    if (message.kind === 'all') received.resolve(message.pid)
    else sockets.push({ host: message.host, port: message.port, handle: handle as ListeningHandle })
  })
  void disconnected.then(() =>
    received.reject(
      new StartError('The running server did not hand over its sockets. Is another process replacing it?'),
    ),
  )
  const pid = await received.promise
  return {
    sockets,
    async serving() {
      process.send?.({ kind: 'serving' } satisfies ToReplaced)
      await disconnected
      process.removeAllListeners('message')
    },
    get ended() {
      return endOf(pid)
    },
  }
}

async function endOf(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(checkEvery, undefined, { ref: false })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
