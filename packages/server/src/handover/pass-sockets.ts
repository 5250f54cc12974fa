import { handleOfDescriptor } from '../kernel/sockets/listening-socket.ts'
import type { FromReplaced, ToReplaced } from './messages.ts'

/**
 * Started by the process that is replaced, with its listening sockets and the connection of the new process. Node only
 * passes sockets over the channel to a parent, so the connection is this program's channel. Exits with 0 when the new
 * process serves.
 */
const firstSocket = 4

const offered = JSON.parse(process.argv[2] ?? '[]') as { host: string; port: number }[]

function send(message: FromReplaced, handle?: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, handle as never, {}, (error) => (error === null ? resolve() : reject(error)))
  })
}

process.once('disconnect', () => process.exit(1))
process.on('message', ({ kind }: ToReplaced) => {
  if (kind === 'serving') process.exit(0)
})
for (const [index, { host, port }] of offered.entries()) {
  await send({ kind: 'socket', host, port }, handleOfDescriptor(firstSocket + index))
}
await send({ kind: 'all', pid: process.ppid })
