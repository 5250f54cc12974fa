import { createHmac } from 'node:crypto'
import { ConnectionError } from '@masthead/client/errors.ts'
import { parseUrl } from '../arguments/parse-url.ts'
import { usageError } from '../errors/command-error.ts'
import { describeUnreachable } from '../errors/unreachable.ts'

/** As long as a server would wait. */
const answerMs = 10_000

/** `3000`, `localhost:3000/hook` or a URL. */
export function readTarget(text: string): URL {
  const written = /^\d+$/.test(text) ? `127.0.0.1:${text}` : text
  const url = parseUrl(/^\w+:\/\//.test(written) ? written : `http://${written}`)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url
  throw usageError(
    `"${text}" is not an address to forward to.`,
    'Use a port of this machine, or a URL such as http://127.0.0.1:3000/hook.',
  )
}

/** The same for each run with a key, so that a receiver can keep it in its settings. Says nothing about the key. */
export function listenSecret(key: string): string {
  return `whsec_${createHmac('sha256', key).update('masthead webhooks listen').digest('base64')}`
}

/** By https://www.standardwebhooks.com, as a server would sign it. */
export function signedHeaders(
  { id, body, at }: { id: string; body: string; at: number },
  secret: string,
): Record<string, string> {
  const seconds = Math.floor(at / 1000)
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
  return {
    'content-type': 'application/json',
    'user-agent': 'Masthead-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${hmac.update(`${id}.${seconds}.${body}`).digest('base64')}`,
  }
}

export interface Forwarded {
  isAccepted: boolean
  /** "204 in 12 ms", or why there was no answer. */
  said: string
}

/** Posts it once. Redirects are answers, as they are for a server. */
export async function forward(
  target: URL,
  message: { id: string; body: string },
  secret: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const started = performance.now()
  const headers = signedHeaders({ ...message, at: Date.now() }, secret)
  const timeout = AbortSignal.timeout(answerMs)
  try {
    const answer = await fetch(target, {
      method: 'POST',
      headers,
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    })
    await answer.body?.cancel()
    return {
      isAccepted: answer.ok,
      said: `${answer.status} in ${Math.round(performance.now() - started)} ms`,
    }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return { isAccepted: false, said: `no answer within ${answerMs / 1000} s` }
    const { tried } = describeUnreachable(new ConnectionError(target.origin, error), false)
    return { isAccepted: false, said: tried.replaceAll('\n', ' ') || 'the request failed' }
  }
}
