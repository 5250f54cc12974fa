import { createHmac } from 'node:crypto'
import { signingKey } from '../secrets.ts'

/** The headers of Standard Webhooks. Every secret adds a signature, so a receiver may know either during a rotation. */
export function signedHeaders(
  message: { id: string; at: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const seconds = Math.floor(message.at / 1000)
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', signingKey(secret))
    return `v1,${hmac.update(`${message.id}.${seconds}.${message.body}`).digest('base64')}`
  })
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}
