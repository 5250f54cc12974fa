import { type IncomingMessage, request } from 'node:http'
import { connectToTarget, type Outgoing, readHead, within } from './connect.ts'

export interface TextAnswer {
  status: number
  headers: IncomingMessage['headers']
  /** The start of the body. */
  text: string
}

const maxHeaderBytes = 32 * 1024

/** Asks for a URL of a stranger, and follows no redirects. Throws a TargetError if there is no answer. */
export async function requestText(
  outgoing: Outgoing,
  url: URL,
  { maxBytes, timeout }: { maxBytes: number; timeout: number },
): Promise<TextAnswer> {
  const socket = await connectToTarget(outgoing, url)
  const signal = within(timeout, outgoing.stopping)
  const end = () => socket.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    const req = request({
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, 'user-agent': 'Masthead-Probe', accept: '*/*', connection: 'close' },
      createConnection: () => socket,
      maxHeaderSize: maxHeaderBytes,
    })
    const answer = await readHead(req.end(), signal)
    const text = await readStart(answer, maxBytes)
    return { status: answer.statusCode ?? 0, headers: answer.headers, text }
  } finally {
    signal.removeEventListener('abort', end)
    socket.destroy()
  }
}

/** As far as it came: the status says enough. */
async function readStart(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= maxBytes) break
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('latin1')
}
