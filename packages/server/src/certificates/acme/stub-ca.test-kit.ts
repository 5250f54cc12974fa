import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { generateKeyPair } from '../x509/key-pair.ts'
import type { AcmeAccount } from './account.ts'
import { type AcmeClient, createAcmeClient } from './acme-client.ts'

export interface StubResponse {
  status?: number
  headers?: Record<string, string>
  /** An object is sent as JSON, a string as it is. */
  body?: unknown
}

export interface StubCa extends AsyncDisposable {
  url: string
  client: AcmeClient
  account: AcmeAccount
  /** The payloads of signed requests, by path. */
  received: { path: string; payload: unknown }[]
}

type ResponsesByPath = Record<string, StubResponse | ((response: ServerResponse) => void)>

export const acmeError = (name: string) => `urn:ietf:params:acme:error:${name}`

/** An error response as CAs send it. */
export function refusal(
  status: number,
  document: object,
  headers: Record<string, string> = {},
): StubResponse {
  return { status, headers: { 'content-type': 'application/problem+json', ...headers }, body: document }
}

/** A CA with a directory and nonces that otherwise sends the given responses by path. */
export async function startStubCa(
  responses: (url: string) => ResponsesByPath,
  { now = Date.now, timeoutMs = 5000 }: { now?: () => number; timeoutMs?: number } = {},
): Promise<StubCa> {
  const received: StubCa['received'] = []
  let nonces = 0
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const body = await text(request)
    if (body !== '') received.push({ path, payload: payloadOf(body) })
    response.setHeader('replay-nonce', `nonce-${nonces++}`)
    const known: ResponsesByPath = { '/directory': { body: directory(url) }, '/nonce': {}, ...responses(url) }
    const stub = known[path]
    if (typeof stub === 'function') return stub(response)
    const { status = 200, headers = {}, body: content } = stub ?? { status: 404 }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof content === 'string' ? content : JSON.stringify(content))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    client: createAcmeClient({ directoryUrl: `${url}/directory`, fetch, now, timeoutMs }),
    account: { key: await generateKeyPair(), url: `${url}/account/1` },
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function directory(url: string) {
  return {
    newNonce: `${url}/nonce`,
    newAccount: `${url}/new-account`,
    newOrder: `${url}/new-order`,
    keyChange: `${url}/key-change`,
    renewalInfo: `${url}/renewal-info`,
  }
}

function payloadOf(body: string): unknown {
  const { payload } = JSON.parse(body) as { payload: string }
  return payload === '' ? null : JSON.parse(Buffer.from(payload, 'base64url').toString())
}
