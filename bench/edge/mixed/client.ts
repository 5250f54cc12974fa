import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'
import { processorSeconds } from '../processor-time.ts'
import { visitOverHttp1 } from './http1-visit.ts'
import { visitOverHttp2 } from './http2-visit.ts'
import { type ExpectedFile, shareOut, type Visitor } from './visitor.ts'

/** What this process reads from its input. */
export interface MixedPlan {
  protocol: 'HTTP/2' | 'HTTP/1.1' | 'plain HTTP/1.1'
  port: number
  rootPem: string
  files: ExpectedFile[]
  visitors: number
  /** Of each visitor, after as many to warm up. */
  requests: number
  /** Of the server. */
  pids: number[]
}

/** What it writes to its output. */
export interface MixedResult {
  requests: number
  processorSeconds: number
}

/**
 * A process of its own that visits all sites at once as browsers do: the same requests to every server, whatever its
 * speed. It reads the server's processor time itself, so that neither handshakes nor warming up are measured.
 */
async function run({
  protocol,
  port,
  rootPem,
  files,
  visitors,
  requests,
  pids,
}: MixedPlan): Promise<MixedResult> {
  const all = shareOut(visitors, files)
  for (const visitor of all) {
    const socket = await open(visitor)
    socket.on('close', () => {
      throw new Error('The server closed the connection')
    })
    if (protocol === 'HTTP/2') visitOverHttp2(socket, visitor)
    else visitOverHttp1(socket, visitor, protocol === 'HTTP/1.1' ? 'https' : 'http')
  }
  const visitAll = () => Promise.all(all.map((visitor) => visitor.visit(requests)))
  await visitAll()
  const before = await processorSeconds(pids)
  await visitAll()
  return { requests: visitors * requests, processorSeconds: (await processorSeconds(pids)) - before }

  async function open({ host }: Visitor): Promise<Socket> {
    const at = { host: '127.0.0.1', port }
    if (protocol === 'plain HTTP/1.1') {
      const socket = connect(at).setNoDelay()
      await once(socket, 'connect')
      return socket
    }
    const alpn = protocol === 'HTTP/2' ? 'h2' : 'http/1.1'
    const socket = connectSecurely({
      ...at,
      servername: host,
      ca: rootPem,
      ALPNProtocols: [alpn],
      minVersion: 'TLSv1.3',
      ciphers: 'TLS_AES_128_GCM_SHA256',
    }).setNoDelay()
    await once(socket, 'secureConnect')
    if (socket.alpnProtocol !== alpn) throw new Error(`The server speaks ${socket.alpnProtocol}`)
    return socket
  }
}

if (import.meta.main) {
  const result = await run((await json(process.stdin)) as MixedPlan)
  process.stdout.write(JSON.stringify(result), () => process.exit())
}
