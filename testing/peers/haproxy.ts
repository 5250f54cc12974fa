import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { startSupervised } from '../supervised-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'

export interface BalancedNode {
  httpPort: number
  httpsPort: number
}

export interface RunningHaproxy extends AsyncDisposable {
  httpPort: number
  httpsPort: number
}

/** How often it asks each node whether it is ready. One failure is enough. */
const checkEveryMs = 250

/** A load balancer for connections, whatever they carry. It sends new ones to nodes that are ready. */
export async function startHaproxy(nodes: readonly BalancedNode[]): Promise<RunningHaproxy> {
  const program = requirePeer('haproxy')
  const folder = await temporaryFolder('masthead-haproxy')
  const httpPort = await freePort()
  const httpsPort = await freePort()
  const section = (name: string, port: number, server: (node: BalancedNode, index: number) => string) => [
    `listen ${name}`,
    `  bind 127.0.0.1:${port}`,
    ...nodes.map((node, index) => `  server n${index} 127.0.0.1:${server(node, index)}`),
  ]
  const lines = [
    'defaults',
    '  mode tcp',
    '  balance roundrobin',
    '  timeout connect 5s',
    // By default a check has only as long as the interval, and on a busy machine every node would seem to be down.
    '  timeout check 10s',
    '  timeout client 10m',
    '  timeout server 10m',
    '  option redispatch',
    ...section('http', httpPort, (node) => `${node.httpPort} check inter ${checkEveryMs} fall 1 rise 1`),
    '  option httpchk',
    '  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost',
    '  http-check expect status 200',
    ...section('https', httpsPort, (node, index) => `${node.httpsPort} track http/n${index}`),
  ]
  const file = join(folder.path, 'haproxy.cfg')
  await writeFile(file, `${lines.join('\n')}\n`)
  const haproxy = await startSupervised({
    command: [program, '-db', '-f', file],
    folder: folder.path,
    ports: [httpPort, httpsPort],
  })
  return { httpPort, httpsPort, [Symbol.asyncDispose]: () => haproxy.stop() }
}
