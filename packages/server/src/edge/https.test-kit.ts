import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type ConnectionOptions, connect, createSecureContext, type TLSSocket } from 'node:tls'
import { createRoot, type InternalRoot, issueLeaf } from '../certificates/internal-ca/internal-ca.ts'
import { generateKeyPair, privateKeyPem } from '../certificates/x509/key-pair.ts'
import { sitesOf, startEdge } from './edge.test-kit.ts'
import type { EdgeParts } from './edge.ts'
import { createHttpsListener, type HttpsListenerOptions } from './https-listener.ts'
import {
  CertificateCache,
  type CertificateCacheOptions,
  type CertificateSource,
  type ServedCertificate,
} from './tls/certificate-cache.ts'

export const siteName = 'hello.masthead.localhost'

export async function certificateFor(root: InternalRoot, name: string): Promise<ServedCertificate> {
  const keys = await generateKeyPair()
  const leaf = await issueLeaf(root, { name, publicKey: keys.publicKey, now: Date.now() })
  return { chain: leaf.chainPem, keyPem: privateKeyPem(keys), notAfter: leaf.notAfter }
}

export interface HttpsWishes {
  edge?: Partial<EdgeParts>
  listener?: Partial<HttpsListenerOptions>
  cache?: Partial<CertificateCacheOptions>
  ticketKey?: Buffer
}

/** A real edge behind a real HTTPS port, with certificates from its own root. */
export async function startHttps(wishes: HttpsWishes = {}) {
  const https = { originOf: (hostname: string) => `https://${hostname}:8443`, redirect: false }
  const edge = await startEdge({}, 'both', { https, ...wishes.edge })
  const root = await createRoot(Date.now())
  const certificates = new Map<string, ServedCertificate>()
  const validations = new Map<string, Awaited<ReturnType<CertificateSource['validation']>>>()
  const calls = { ofDomain: 0, ofPlatform: 0, validation: 0 }
  const source = { isAway: false, answers: Promise.resolve(), onTheirWay: new Set<string>() }

  function look(kind: keyof typeof calls) {
    return async (name: string) => {
      calls[kind]++
      const found = certificates.get(name) ?? null
      await source.answers
      if (source.isAway) throw new Error('the database is away')
      return found
    }
  }

  const cache = new CertificateCache({
    platformDomain: 'masthead.localhost',
    dashboardHost: 'localhost',
    source: {
      ofDomain: look('ofDomain'),
      isPending: async (name) => source.onTheirWay.has(name),
      ofPlatform: look('ofPlatform'),
      async validation(name) {
        calls.validation++
        return validations.get(name) ?? null
      },
    },
    log: { error: (...said: unknown[]) => void edge.logged.push(said) },
    ...wishes.cache,
  })
  const rotations: (() => void)[] = []
  const tickets = { key: wishes.ticketKey ?? randomBytes(48) }
  const ticketKeys = {
    current: () => tickets.key,
    onChange: (listener: () => void) => void rotations.push(listener),
  }
  const { handle, refuser, handleStream } = edge.edge
  const listener = await createHttpsListener({
    host: '127.0.0.1',
    port: 0,
    handle,
    refuser,
    sites: sitesOf(edge.edge, edge.log),
    handleStream,
    certificates: cache,
    ticketKeys,
    ...wishes.listener,
  })
  const { port } = listener.address
  // A client that gets the root itself would read it again for every connection.
  const secureContext = createSecureContext({ ca: root.certificatePem })
  const rootFile = join(edge.folder.path, 'root.pem')
  await writeFile(rootFile, root.certificatePem)
  const clients = new Set<{ destroy(): void }>()

  async function certify(...names: string[]): Promise<void> {
    for (const name of names) certificates.set(name, await certificateFor(root, name))
  }

  async function dialTcp(): Promise<Socket> {
    const socket = connectTcp(port, '127.0.0.1')
    clients.add(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  async function dial(name: string, more: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ port, host: '127.0.0.1', servername: name, ca: root.certificatePem, ...more })
    clients.add(socket)
    await once(socket, 'secureConnect')
    return socket
  }

  /** Everything received for these bytes, whose last request must close the connection. */
  async function exchange(bytes: string, name = siteName, more: ConnectionOptions = {}): Promise<string> {
    const socket = await dial(name, { secureContext, ...more })
    socket.write(bytes, 'latin1')
    return (await buffer(socket)).toString('latin1')
  }

  function openSession(name = siteName): ClientHttp2Session {
    const session = connectHttp2(`https://${name}:${port}`, {
      ca: root.certificatePem,
      servername: name,
      lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    clients.add(session)
    session.on('error', () => {})
    return session
  }

  async function stop(): Promise<void> {
    for (const client of clients) client.destroy()
    await listener.close(0)
    await edge[Symbol.asyncDispose]()
  }

  return {
    ...edge,
    plainPort: edge.listener.address.port,
    listener,
    port,
    root,
    rootFile,
    cache,
    certificates,
    validations,
    loads: calls,
    source,
    certify,
    dialTcp,
    dial,
    exchange,
    openSession,
    /** Rotates the session ticket key, as another process would through the database. */
    rotate(key: Buffer) {
      tickets.key = key
      for (const tell of rotations) tell()
    },
    [Symbol.asyncDispose]: stop,
  }
}

export interface StreamAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** One request on an HTTP/2 session. */
export async function askStream(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<StreamAnswer> {
  const stream = session.request({ ':path': path, ...headers }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  return { status: Number(answer[':status']), headers: answer, body: await buffer(stream) }
}
