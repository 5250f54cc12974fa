import type { RemoteInfo, Socket } from 'node:dgram'

/** A message as TCP carries it: after two bytes with its length (RFC 1035, section 4.2.2). */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** The messages of a stream. One that announces more than `longest` bytes ends it. */
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
  /** Null: nothing that one answers. */
  replyTo(message: Buffer): Promise<Buffer | null>
  log: { warn(details: object, message: string): void }
}

const maxUnderWay = 500
const trouble = "the lab's DNS had trouble with a datagram"

/** Answers what arrives on a socket until it is closed. Nobody waits for one answer, so nothing here may reject. */
export function answerDatagrams(socket: Socket, { replyTo, log }: Datagrams): { close(): void } {
  let underWay = 0
  let open = true

  async function answer(message: Buffer, { address, port }: RemoteInfo): Promise<void> {
    const reply = await replyTo(message)
    if (reply !== null && open) socket.send(reply, port, address, () => {})
  }

  const tell = (error: unknown) => log.warn({ err: error }, trouble)
  socket.on('error', tell)
  socket.on('message', (message, sender) => {
    // Whoever is not answered asks again; to port 0 nothing can be sent.
    if (underWay >= maxUnderWay || sender.port === 0) return
    underWay++
    void answer(message, sender)
      .catch(tell)
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
