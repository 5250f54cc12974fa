import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface HttpsVisit {
  status: number
  body: string
}

/** Where the visitor comes from on the loopback, how long they wait and what they look at. */
export interface Visitor {
  localAddress?: string
  signal?: AbortSignal
  /** For names whose certificate is for another one. */
  checkServerIdentity?: () => undefined
}

/** The front page of a name on this machine, over a new connection with a whole handshake. */
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

/** Longer than a handshake takes that is only slow. */
const visitTimeoutMs = 30_000

/** How many of these names show nothing to a visitor who comes once, all of them at the same time. */
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
  /** By the clock; null where it never came. */
  at: number | null
  /** Tries that came to nothing before. */
  refused: number
}

export interface FirstAnswerOptions {
  port: number
  name: string
  root: string
  /** Milliseconds between two tries. */
  pause: number
}

/** Longer than anybody waits. */
const firstAnswerTimeoutMs = 180_000

/** Asks for the front page over HTTPS, with a certificate that leads to the root, until it is shown. */
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

/** Visitors come from many addresses. From a single one, a hundred names that are not there yet would be a flood. */
function nextAddress(): string {
  addresses++
  return `127.1.${addresses >> 8}.${addresses & 255}`
}
