import type { RemoteInfo, Socket } from 'node:dgram'

/** Splits a stream into messages. A message longer than `longest` ends it. */
export async function* splitFrames(source: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Buffer> {
  let pending = Buffer.alloc(0)
  for await (const chunk of source) {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 2) {
      const length = pending.readUInt16BE(0)
      if (length > longest) return
      if (pending.length < 2 + length) break
      yield pending.subarray(2, 2 + length)
      pending = pending.subarray(2 + length)
    }
  }
}

export interface Datagrams {
  /** Null if the message gets no reply. */
  replyTo(message: Buffer, address: string): Promise<Buffer | null>
  log: { warn(details: object, message: string): void }
}

const maxUnderWay = 500
const trouble = 'a DNS datagram could not be handled'

/** Answers datagrams until the socket is closed. Errors are logged, because nothing awaits a single answer. */
export function answerDatagrams(socket: Socket, { replyTo, log }: Datagrams): { close(): void } {
  let underWay = 0
  let open = true

  async function answer(message: Buffer, { address, port }: RemoteInfo): Promise<void> {
    const reply = await replyTo(message, address)
    if (reply !== null && open) socket.send(reply, port, address, () => {})
  }

  const logError = (error: unknown) => log.warn({ err: error }, trouble)
  socket.on('error', logError)
  socket.on('message', (message, sender) => {
    // Clients repeat what gets no reply. Nothing can be sent to port 0.
    if (underWay >= maxUnderWay || sender.port === 0) return
    underWay++
    void answer(message, sender)
      .catch(logError)
      .finally(() => {
        underWay--
      })
  })
  return {
    close() {
      open = false
      socket.close()
    },
  }
}
