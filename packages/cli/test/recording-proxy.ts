import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'

export interface ProxiedRequest {
  name: EndpointName
  params: Record<string, string>
  body: Buffer
}

type Hook = (request: ProxiedRequest) => unknown

/** Passes everything on to the real server and notes which endpoints the command line called. */
export class RecordingProxy implements AsyncDisposable {
  readonly requests: ProxiedRequest[] = []
  /** Run before a call of the endpoint is passed on. */
  readonly before: Partial<Record<EndpointName, Hook>> = {}
  /** Run when the server has answered, before the command line sees the answer. */
  readonly after: Partial<Record<EndpointName, (answer: unknown) => unknown>> = {}
  /** Calls that are answered with 204 but never reach the server, as if it had lost their effect. */
  readonly lost: EndpointName[] = []
  /** Calls that reach the server, but whose answer is replaced by an error that nobody sends again for. */
  readonly timedOut: EndpointName[] = []
  /** Calls that reach the server once without an answer: the connection is closed. */
  readonly cut: EndpointName[] = []
  readonly #http: Server = createServer()
  /** Its own, because a connection that a test has visited a site with is not for the API. */
  readonly #agent = new Agent({ keepAlive: true })

  static async start(origin: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy()
    const { port } = new URL(origin)
    proxy.#http.on('request', async (incoming, outgoing) => {
      const body = await buffer(incoming)
      const { method = '', url = '', headers } = incoming
      const call = endpointOf(method, new URL(url, origin).pathname)
      if (call !== null) {
        const received = { ...call, body }
        proxy.requests.push(received)
        const lost = proxy.lost.indexOf(call.name)
        if (lost >= 0) {
          proxy.lost.splice(lost, 1)
          return outgoing.writeHead(204).end()
        }
        await proxy.before[call.name]?.(received)
      }
      const to = { host: '127.0.0.1', port, agent: proxy.#agent }
      const passed = request({ ...to, method, path: url, headers }).end(body)
      const [answer] = await once(passed, 'response')
      const content = await buffer(answer)
      if (call !== null) await proxy.after[call.name]?.(parseJson(content))
      const cut = call === null ? -1 : proxy.cut.indexOf(call.name)
      if (cut >= 0) {
        proxy.cut.splice(cut, 1)
        return outgoing.destroy()
      }
      if (call !== null && proxy.timedOut.includes(call.name)) {
        return outgoing.writeHead(524).end('A timeout occurred')
      }
      outgoing.writeHead(answer.statusCode, answer.headers).end(content)
    })
    proxy.#http.listen(0, '127.0.0.1')
    await once(proxy.#http, 'listening')
    return proxy
  }

  get url(): string {
    return `http://localhost:${(this.#http.address() as AddressInfo).port}`
  }

  /** Names of the endpoints called, in order. */
  get called(): EndpointName[] {
    return this.requests.map(({ name }) => name)
  }

  count(name: EndpointName): number {
    return this.called.filter((called) => called === name).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    this.#http.closeAllConnections()
    this.#http.close()
    await once(this.#http, 'close')
  }
}

function endpointOf(method: string, path: string): Omit<ProxiedRequest, 'body'> | null {
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const [routeMethod, template = ''] = endpoints[name].route.split(' ')
    const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const found = routeMethod === method ? pattern.exec(path) : null
    if (found) return { name, params: decoded(found.groups ?? {}) }
  }
  return null
}

function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString())
  } catch {
    return undefined
  }
}
