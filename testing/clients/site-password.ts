import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface PlainAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface PlainRequest {
  host: string
  path?: string
  headers?: Record<string, string>
  /** Sends a form. */
  form?: Record<string, string>
  /** The address it comes from, of the loopback. */
  from?: string
}

/** Asks over plain HTTP, on connections that are kept. */
export class PlainClient implements Disposable {
  readonly #port: number
  readonly #agent: Agent

  constructor(port: number, maxSockets = 1_100) {
    this.#port = port
    this.#agent = new Agent({ keepAlive: true, maxSockets })
  }

  ask({ host, path = '/', headers = {}, form, from = '127.0.0.1' }: PlainRequest): Promise<PlainAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<PlainAnswer>()
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    request({
      ...{ host: '127.0.0.1', port: this.#port, localAddress: from, path, agent: this.#agent },
      method: form === undefined ? 'GET' : 'POST',
      headers: { host: `${host}:${this.#port}`, accept: 'text/html', ...type, ...headers },
    })
      .on('error', reject)
      .on('response', (response) => {
        const { statusCode: status = 0, headers } = response
        text(response).then((body) => resolve({ status, headers, body }), reject)
      })
      .end(form === undefined ? '' : new URLSearchParams(form).toString())
    return promise
  }

  /** The form of a protected site, sent with a password by way of a proxy. What became of it. */
  async guess(site: string, form: string, password: string, forwardedFor: string): Promise<string> {
    const { host, pathname, search } = new URL(form)
    const { headers } = await this.ask({
      ...{ host: host.split(':', 1)[0] ?? '', path: pathname + search, form: { password } },
      headers: { origin: `http://${site}:${this.#port}`, 'x-forwarded-for': forwardedFor },
    })
    const back = new URL(headers.location ?? 'http://nowhere')
    if (back.pathname === '/.masthead/enter') return 'in'
    return back.searchParams.get('trouble') ?? (back.searchParams.has('wait') ? 'wait' : 'refused')
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

/** Where the form of a sign-in page leads. */
export function formOf(page: string): string {
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1]
  if (action === undefined) throw new Error(`This is no sign-in page: ${page.slice(0, 500)}`)
  return action.replaceAll('&amp;', '&').replaceAll('&#38;', '&')
}

/** As many different addresses as anyone needs, each in a network of its own. */
export function addressOf(n: number): string {
  return `10.${n >> 8}.${n & 255}.7`
}
