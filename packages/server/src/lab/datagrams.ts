import type { RemoteInfo, Socket } from 'node:dgram'

export interface Datagrams {
  /** Null: nothing that one answers. */
  replyTo(message: Buffer): Promise<Buffer | null>
  log: { warn(details: object, message: string): void }
}

const mostUnderWay = 500
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
    if (underWay >= mostUnderWay || sender.port === 0) return
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
