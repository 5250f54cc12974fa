import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface HttpsVisit {
  status: number
  body: string
}

export interface Visitor {
  localAddress?: string
  signal?: AbortSignal
  /** For names that serve another name's certificate. */
  checkServerIdentity?: () => undefined
  rejectUnauthorized?: boolean
}

/** Loads the home page of a name on this machine, over a new connection with a full handshake. */
export async function visitOverHttps(
  port: number,
  name: string,
  root: string,
  visitor: Visitor = {},
): Promise<HttpsVisit> {
  const to = { host: '127.0.0.1', port, servername: name, headers: { Host: `${name}:${port}` } }
  const sent = request({ ...to, ca: root, agent: false, ...visitor })
  try {
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, body: await text(answer) }
  } finally {
    sent.on('error', () => {}).destroy()
  }
}

/** Longer than a slow handshake takes. */
const visitTimeoutMs = 30_000

/** How many names fail when each is visited once, all at the same time. */
export async function countRefused(
  names: readonly string[],
  { port, root }: { port: number; root: string },
): Promise<number> {
  const shown = await Promise.all(
    names.map((name) =>
      visitOverHttps(port, name, root, { signal: AbortSignal.timeout(visitTimeoutMs) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    ),
  )
  return shown.filter((isShown) => !isShown).length
}

export interface FirstAnswer {
  /** Wall clock time; null if it never came. */
  at: number | null
  /** Failed attempts before. */
  refused: number
}

export interface FirstAnswerOptions {
  port: number
  name: string
  root: string
  /** Milliseconds between attempts. */
  pause: number
}

/** Longer than any visitor waits. */
const firstAnswerTimeoutMs = 180_000

/** Requests the home page over HTTPS until it succeeds with a certificate that chains to the root. */
export async function waitForFirstAnswer({
  port,
  name,
  root,
  pause,
}: FirstAnswerOptions): Promise<FirstAnswer> {
  const end = Date.now() + firstAnswerTimeoutMs
  const localAddress = nextAddress()
  for (let refused = 0; ; refused++) {
    const left = end - Date.now()
    if (left <= 0) return { at: null, refused }
    const visitor = { localAddress, signal: AbortSignal.timeout(left) }
    const answer = await visitOverHttps(port, name, root, visitor).catch(() => null)
    if (answer?.status === 200) return { at: Date.now(), refused }
    await sleep(pause)
  }
}

let addresses = 0

/** Visitors come from many addresses. From a single one, a hundred unknown names would count as a flood. */
function nextAddress(): string {
  addresses++
  return `127.1.${addresses >> 8}.${addresses & 255}`
}
