import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { programFile } from '../kernel/program/own-files.ts'
import type { ListeningSocket } from '../kernel/sockets/listening-socket.ts'
import { processSocketPath, type SocketPlace } from '../kernel/sockets/process-sockets.ts'

/** The channel of the program, between the standard streams and the sockets. */
const channelFd = 3

export interface HandoverParts {
  place: SocketPlace
  sockets: () => Promise<readonly ListeningSocket[]>
  /** Another process serves on our sockets. */
  onReplaced: () => void
  log: { info(message: string): void; warn(details: object, message: string): void }
}

export interface Handover {
  close(): Promise<void>
}

/**
 * Waits for a process that was started to replace this one, and gives it the listening sockets. Both accept from the
 * same queues until this one stops, so no connection is lost.
 */
export async function offerHandover({ place, sockets, onReplaced, log }: HandoverParts): Promise<Handover> {
  let isBusy = false
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    connection.on('error', () => {})
    if (isBusy) {
      connection.destroy()
      return
    }
    isBusy = true
    passSockets(connection)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'could not hand over to a new process')
        return false
      })
      .then((isReplaced) => {
        isBusy = false
        if (!isReplaced) return
        log.info('A new process serves on these ports. This one finishes its requests and stops.')
        onReplaced()
      })
  })

  async function passSockets(connection: Socket): Promise<boolean> {
    const offered = await sockets()
    const names = offered.map(({ host, port }) => ({ host, port }))
    const child = spawn(process.execPath, [programFile('handover/pass-sockets'), JSON.stringify(names)], {
      stdio: ['ignore', 'ignore', 'inherit', connection, ...offered.map(({ handle }) => handle as never)],
      env: { NODE_CHANNEL_FD: String(channelFd), NODE_CHANNEL_SERIALIZATION_MODE: 'json' },
    })
    connection.destroy()
    const [code] = await once(child, 'exit')
    if (code !== 0) log.warn({}, 'a process that was to replace this one did not start')
    return code === 0
  }

  try {
    const path = processSocketPath('replace', place)
    const mask = process.umask(0o177)
    server.listen(path)
    process.umask(mask)
    await once(server, 'listening')
  } catch (error) {
    log.warn({ err: error }, 'this process cannot be replaced while it runs; stop it before an update')
  }
  return {
    async close() {
      server.close()
    },
  }
}
