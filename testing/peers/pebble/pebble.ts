import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../free-port.ts'
import { type SupervisedProcess, startSupervised } from '../../supervised-process.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { requirePeer } from '../peers.ts'
import { controlPebble, type PebbleAddress, type PebbleControls } from './pebble-controls.ts'

export interface PebbleSettings {
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

export interface PebbleOptions extends PebbleSettings {
  /** Where it comes to look at challenges. */
  httpPort: number
  tlsPort: number
  /** Where it looks names up, as host:port. */
  dnsServer: string
}

export interface RunningPebble extends PebbleAddress, PebbleControls, AsyncDisposable {
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
  const logFile = join(folder, 'log')

  async function run(): Promise<SupervisedProcess> {
    await mkdir(folder, { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const command = [program, '-config', join(folder, 'pebble.json'), '-dnsserver', options.dnsServer]
    return startSupervised({
      command: ['sh', '-c', 'exec "$@" >"$0" 2>&1', logFile, ...command],
      env: {
        PEBBLE_VA_NOSLEEP: '1',
        PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 0),
        PEBBLE_AUTHZREUSE: String(options.authzReuse ?? 0),
        PEBBLE_ALTERNATE_ROOTS: String(options.alternateRoots ?? 0),
      },
      folder,
      ports: [port, managementPort],
    })
  }
  let server = await run()
  const address = {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    managementUrl: `https://127.0.0.1:${managementPort}`,
    rootsFile: join(folder, 'certificate.pem'),
    rootsPem: files['certificate.pem'],
    logFile,
  }
  const { controls, stopping, started } = controlPebble(address, () => server.pid)
  let isRunning = true
  const stop = async () => {
    if (!isRunning) return
    isRunning = false
    stopping()
    await server.stop()
  }
  return {
    ...address,
    ...controls,
    stop,
    async start() {
      server = await run()
      started()
      isRunning = true
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
