import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { type SupervisedProcess, startSupervised } from '../supervised-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'

export interface PebbleOptions {
  /** Where it comes to look at challenges. */
  httpPort: number
  tlsPort: number
  /** Where it looks names up, as host:port. */
  dnsServer: string
  /** How many of a hundred good nonces it refuses. */
  nonceReject?: number
  /** How many of a hundred valid authorizations serve a second order. */
  authzReuse?: number
  alternateRoots?: number
  /** How long its certificates last; five years by default. */
  certificateSeconds?: number
  /** Keys by their name, in base64url; with any, accounts need one of them. */
  externalAccounts?: Record<string, string>
}

export interface RunningPebble extends AsyncDisposable {
  directoryUrl: string
  /** The PEM file to trust for its own HTTPS, and what is in it. */
  rootsFile: string
  rootsPem: string
  /** The root that certificates lead to: another one after each start. */
  issuerRootPem(index?: number): Promise<string>
  /** Over all starts, by its own log. */
  ordersMade(): number
  pause(): void
  resume(): void
  stop(): Promise<void>
  /** Starts it on the same ports. It has forgotten accounts, orders and its own root. */
  start(): Promise<void>
}

/** Pebble, a CA that speaks ACME, on free loopback ports. It validates at once instead of taking its time. */
export async function startPebble(options: PebbleOptions): Promise<RunningPebble> {
  const program = requirePeer('pebble')
  const { path: folder } = await temporaryFolder('masthead-pebble')
  const [port, managementPort] = [await freePort(), await freePort()]
  const files = {
    ...(await ownCertificate(folder)),
    'pebble.json': JSON.stringify({ pebble: settings(options, port, managementPort) }),
  }
  const rootsPem = files['certificate.pem']
  let orders = 0

  async function run(): Promise<SupervisedProcess> {
    await mkdir(folder, { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    return startSupervised({
      command: [program, '-config', join(folder, 'pebble.json'), '-dnsserver', options.dnsServer],
      env: {
        PEBBLE_VA_NOSLEEP: '1',
        PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 0),
        PEBBLE_AUTHZREUSE: String(options.authzReuse ?? 0),
        PEBBLE_ALTERNATE_ROOTS: String(options.alternateRoots ?? 0),
      },
      folder,
      ports: [port, managementPort],
      onLine(line) {
        if (/Added order "[^"]*" to the db/.test(line)) orders++
      },
    })
  }
  let server = await run()
  const stop = () => server.stop()
  return {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    rootsFile: join(folder, 'certificate.pem'),
    rootsPem,
    issuerRootPem: (index = 0) => read(`https://127.0.0.1:${managementPort}/roots/${index}`, rootsPem),
    ordersMade: () => orders,
    pause: () => server.pause(),
    resume: () => server.resume(),
    stop,
    async start() {
      server = await run()
    },
    [Symbol.asyncDispose]: stop,
  }
}

function settings(
  { httpPort, tlsPort, externalAccounts, certificateSeconds }: PebbleOptions,
  port: number,
  management: number,
) {
  return {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: 'certificate.pem',
    privateKey: 'key.pem',
    httpPort,
    tlsPort,
    externalAccountBindingRequired: externalAccounts !== undefined,
    externalAccountMACKeys: externalAccounts ?? {},
    ...(certificateSeconds !== undefined && { certificateValidityPeriod: certificateSeconds }),
  }
}

/** One certificate that is its own root. */
async function ownCertificate(folder: string) {
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=Pebble'
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const output = ['-keyout', 'key.pem', '-out', 'certificate.pem']
  await promisify(execFile)('openssl', [...request.split(' '), ...names, ...output], { cwd: folder })
  const content = (name: string) => readFile(join(folder, name), 'utf8')
  return { 'certificate.pem': await content('certificate.pem'), 'key.pem': await content('key.pem') }
}

async function read(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca }, (answer) => resolve(text(answer))).on('error', reject)
  })
}
