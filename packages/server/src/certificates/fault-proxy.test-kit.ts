import type { Fetch } from './acme/exchange.ts'

export interface Fault {
  path: string
  /** Applies only to requests whose payload matches. */
  when?: (payload: Record<string, unknown>) => boolean
  status: number
  headers?: Record<string, string>
  body: object
  /** How often; always by default. */
  times?: number
}

/** Wraps the fetch to a CA and injects faults, which can be added and removed. */
export function faultProxy(faults: Fault[]) {
  const requests: { path: string; payload: Record<string, unknown> }[] = []
  const fetch =
    (real: Fetch): Fetch =>
    async (url, init) => {
      const path = new URL(url).pathname
      const payload = payloadOf(init.body)
      requests.push({ path, payload })
      const fault = faults.find((one) => path.startsWith(one.path) && (one.when?.(payload) ?? true))
      if (fault === undefined) return real(url, init)
      fault.times = (fault.times ?? Number.POSITIVE_INFINITY) - 1
      if (fault.times <= 0) faults.splice(faults.indexOf(fault), 1)
      const type = fault.status < 400 ? 'application/json' : 'application/problem+json'
      const headers = { 'content-type': type, ...fault.headers }
      // Real responses carry a nonce; without one the client requests it separately.
      return Response.json(fault.body, { status: fault.status, headers })
    }
  return { fetch, requests, faults }
}

export function refusal(type: string, detail: string, more: Partial<Fault> = {}): Fault {
  const body = { type: `urn:ietf:params:acme:error:${type}`, detail }
  return { path: '/order-plz', status: 403, body, ...more }
}

function payloadOf(body: RequestInit['body']): Record<string, unknown> {
  if (typeof body !== 'string') return {}
  const { payload } = JSON.parse(body) as { payload: string }
  return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString())
}
