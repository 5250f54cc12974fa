import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { freePort } from '../free-port.ts'
import { type SupervisedProcess, startSupervised } from '../supervised-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { requirePeer } from './peers.ts'

export interface RunningSwift extends AsyncDisposable {
  /** Buckets are in the path. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** What a server is started with to use it, besides the bucket. */
  settings: Record<string, string>
  /** Returns its name. */
  createBucket(name?: string): Promise<string>
  /** A signed request, for what a test wants to see or do past the server it tests. */
  request(method: string, path: string, body?: string): Promise<Response>
  /** Halts the process: connections stay open, and nothing is answered. */
  pause(): void
  resume(): void
  /** Kills it. What it stored stays. */
  stop(): Promise<void>
  /** Starts it again on the same port with what it stored. */
  start(): Promise<void>
}

/** Signs correctly, and may see nothing. */
export const strangersKey = { accessKeyId: 'test:stranger', secretAccessKey: 'unknown' }

/** Swift comes for the Python of its package, which need not be the first on the PATH. */
const python = '/usr/bin/python3'
const region = 'us-east-1'

/** An OpenStack Swift of its own on a free loopback port, without buckets. It does not keep our process alive. */
export async function startSwift(): Promise<RunningSwift> {
  requirePeer('swift')
  const data = await temporaryFolder('masthead-swift-data')
  // Removes the data however our process ends, also while the server is stopped.
  const keeper = await startSupervised({ command: ['sleep', '1000000'], folder: data.path, ports: [] })
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }
  const client = new AwsClient({ ...keys, service: 's3', region, retries: 0 })
  const request: RunningSwift['request'] = (method, path, body) =>
    client.fetch(`${endpoint}/${path}`, { method, ...(body !== undefined && { body }) })

  const run = () => runSwift(data.path, port)
  let server: SupervisedProcess | null = await run()
  let buckets = 0
  const stop = async () => {
    await server?.stop()
    server = null
  }
  return {
    endpoint,
    region,
    ...keys,
    settings: {
      MASTHEAD_S3_ENDPOINT: endpoint,
      MASTHEAD_S3_REGION: region,
      MASTHEAD_S3_ACCESS_KEY_ID: keys.accessKeyId,
      MASTHEAD_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    request,
    async createBucket(name = `bucket-${++buckets}`) {
      const response = await request('PUT', name)
      if (!response.ok) throw new Error(`No bucket ${name}: ${response.status} ${await response.text()}`)
      await response.body?.cancel()
      return name
    },
    pause: () => server?.pause(),
    resume: () => server?.resume(),
    stop,
    async start() {
      server ??= await run()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await keeper.stop()
    },
  }
}

async function runSwift(data: string, port: number): Promise<SupervisedProcess> {
  const { path: folder } = await temporaryFolder('masthead-swift')
  const program = join(import.meta.dirname, 'swift-server.py')
  return startSupervised({ command: [python, program, data, String(port)], folder, ports: [port] })
}
