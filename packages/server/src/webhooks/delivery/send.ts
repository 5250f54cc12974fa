import { type IncomingMessage, request } from 'node:http'
import { second } from '../../kernel/clock.ts'
import {
  type ConnectTimeouts,
  connectToTarget,
  longestConnect,
  type Outgoing,
  readHead,
  within,
} from '../../outgoing/connect.ts'
import { parseTarget } from '../../outgoing/target.ts'

export interface SendTimeouts extends ConnectTimeouts {
  /** From the connection until the headers of the answer. */
  headers: number
  body: number
}

export const sendTimeouts: SendTimeouts = {
  resolve: 5 * second,
  connect: 4 * second,
  headers: 10 * second,
  body: 2 * second,
}

export interface Sending extends Outgoing {
  timeouts: SendTimeouts
}

export interface SendAnswer {
  status: number
  /** The start of the body. */
  text: string
  /** Milliseconds that the endpoint asks us to wait. */
  retryAfter: number | null
}

const maxAnswerBytes = 1024
const maxHeaderBytes = 16 * 1024

/** The longest that `send` can take. */
export function longestSend({ resolve, connect, headers, body }: SendTimeouts): number {
  return longestConnect({ resolve, connect }) + headers + body
}

/** Posts the body. Any answer counts, redirects too, which are not followed. Throws a TargetError if there is none. */
export async function send(
  sending: Sending,
  target: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<SendAnswer> {
  const { rules, timeouts, stopping } = sending
  const url = parseTarget(target, rules)
  const socket = await connectToTarget(sending, url)
  try {
    const req = request({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        'user-agent': 'Masthead-Webhooks',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
        ...headers,
      },
      createConnection: () => socket,
      maxHeaderSize: maxHeaderBytes,
    })
    const answer = await readHead(req.end(body), within(timeouts.headers, stopping))
    const text = await readStart(answer, within(timeouts.body, stopping))
    return { status: answer.statusCode ?? 0, text, retryAfter: retryAfterOf(answer) }
  } finally {
    socket.destroy()
  }
}

/** The status says everything already: a body that is cut off or late is shown as far as it came. */
async function readStart(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const end = () => answer.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= maxAnswerBytes) break
    }
  } catch {
  } finally {
    signal.removeEventListener('abort', end)
  }
  const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString()
  // PostgreSQL stores no NUL, and a terminal should not obey an answer.
  return text.replaceAll(/[^\P{C}\n\t]/gu, '\ufffd')
}

/** In seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterOf({ statusCode, headers }: IncomingMessage): number | null {
  if (statusCode !== 429 && statusCode !== 503) return null
  const text = headers['retry-after'] ?? ''
  if (/^\d+$/.test(text)) return Number(text) * second
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}
