import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'

/** What it answers to the nth request of an endpoint, from 1. */
type Answer = (count: number) => unknown

/** A server that names itself Masthead and answers as it likes: `{}` to what is not in `answers`. */
export async function hostileServer(answers: Partial<Record<EndpointName, Answer>>) {
  const counts = new Map<EndpointName, number>()
  const http = createServer((incoming, outgoing) => {
    incoming.resume()
    const { pathname } = new URL(incoming.url ?? '', 'http://127.0.0.1')
    const name = endpointAt(`${incoming.method} ${pathname}`)
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const isStream = name === 'streamChanges'
    outgoing.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      'masthead-version': '1.0.0',
    })
    if (isStream) outgoing.write('data: {}\n\n')
    else outgoing.end(JSON.stringify(answers[name]?.(count) ?? {}))
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    count: (name: EndpointName) => counts.get(name) ?? 0,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

function endpointAt(line: string): EndpointName {
  const names = Object.keys(endpoints) as EndpointName[]
  const found = names.find((name) => {
    const pattern = endpoints[name].route.replace(/\{\w+\}/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(line)
  })
  if (found === undefined) throw new Error(`No endpoint: ${line}`)
  return found
}
