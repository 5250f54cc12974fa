import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openDatabase } from '@masthead/server/src/database/database.ts'
import { type RunningSwift, startSwift } from '@masthead/testing/peers/swift.ts'
import { startPublisher } from '../../published-site.ts'
import { megabytes, seconds, type Table, whole } from '../../report.ts'

const fileCount = 1_000
const fileBytes = 10 * 1024 ** 2
const host = 'cold.masthead.localhost'
/** Connections of one address have a share of all. */
const addresses = 20
const maxRaised = 200e6

/** Files that differ in their first bytes, made as they are asked for: ten gigabytes are too much to store. */
const content = Buffer.alloc(fileBytes, 'Masthead')

function contentOf(n: number): Buffer[] {
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(n))
  return [start, content.subarray(8)]
}

/** S3 as it is, plus these files in every account. */
async function startLargeS3(swift: RunningSwift) {
  const numbers = new Map<string, number>()
  for (let n = 0; n < fileCount; n++) {
    const hash = createHash('sha256')
    for (const part of contentOf(n)) hash.update(part)
    numbers.set(hash.digest('hex'), n)
  }
  let reads = 0
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const n = method === 'GET' ? numbers.get(url.slice(-64)) : undefined
    if (n !== undefined) {
      reads++
      outgoing.writeHead(200, { 'content-length': fileBytes })
      const [start, rest] = contentOf(n)
      outgoing.write(start)
      outgoing.end(rest)
      return
    }
    const forwarded = request(`${swift.endpoint}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    digests: [...numbers.keys()],
    reads: () => reads,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Memory while far more cold files are asked for at once than fit into it. */
export async function measureColdFiles(): Promise<Table> {
  await using swift = await startSwift()
  await using s3 = await startLargeS3(swift)
  await using publisher = await startPublisher({
    env: {
      ...swift.settings,
      MASTHEAD_BLOBS: `s3://${await swift.createBucket()}`,
      MASTHEAD_S3_ENDPOINT: s3.url,
      MASTHEAD_ROLES: 'api,edge',
      MASTHEAD_CACHE_BYTES: String(2e9),
      MASTHEAD_MAX_DEPLOYMENT_BYTES: String(20e9),
    },
  })
  const { masthead } = publisher
  await publishWithoutUpload(publisher, s3.digests)
  await ask(masthead.httpPort, 0, '/missing')
  const before = await masthead.rss()
  const startedAt = performance.now()
  let refused = 0
  await Promise.all(
    s3.digests.map(async (_, n) => {
      for (;;) {
        const { status, bytes, start } = await ask(masthead.httpPort, n, `/${n}.png`)
        if (status === 200) {
          if (bytes !== fileBytes || start !== n) throw new Error(`File ${n} is wrong`)
          return
        }
        if (status !== 503) throw new Error(`File ${n} answers ${status}`)
        refused++
      }
    }),
  )
  const took = (performance.now() - startedAt) / 1000
  const raised = (await masthead.peakRss()) - before
  return {
    title: `${whole(fileCount)} cold files of 10 MB at once`,
    columns: ['', 'value'],
    rows: [
      ['memory before', megabytes(before)],
      ['raised by at most', megabytes(raised)],
      ['until all were served', seconds(took)],
      ['reads of S3', whole(s3.reads())],
      ['answers 503', whole(refused)],
    ],
    notes: ['One edge, a cache of 2 GB, plain HTTP/1.1. A client that gets 503 asks again.'],
    broken: raised > maxRaised ? [`Cold files raised memory by ${megabytes(raised)}.`] : [],
  }
}

/** The account is said to have the files, since S3 has them. */
async function publishWithoutUpload(
  { masthead, key, createProject }: Awaited<ReturnType<typeof startPublisher>>,
  digests: readonly string[],
): Promise<void> {
  const api = async (route: string, body?: unknown) => {
    const [method = '', path] = route.split(' ')
    const type = body !== undefined && { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${key}`, ...type }
    const answer = await fetch(`${masthead.origin}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  await createProject('cold')
  const { id } = (await api('GET /v1/account')) as { id: `acc_${string}` }
  const database = await openDatabase(
    { dialect: 'sqlite', file: join(masthead.dataFolder, 'masthead.db') },
    console,
  )
  const blobs = digests.map((sha256) => ({ sha256, size: fileBytes }))
  const rows = blobs.map((blob) => ({ ...blob, account_id: id, encoded: null, doomed_at: null }))
  await database.write((tx) => tx.insertInto('blobs').values(rows).execute())
  await database.close()
  const files = Object.fromEntries(blobs.map((blob, n) => [`/${n}.png`, blob]))
  const deployment = (await api('POST /v1/projects/cold/deployments', { files })) as { id: string }
  await api(`POST /v1/projects/cold/deployments/${deployment.id}/finalize`)
}

function ask(
  port: number,
  n: number,
  path: string,
): Promise<{ status: number; bytes: number; start: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    bytes: number
    start: number
  }>()
  const localAddress = `127.0.0.${2 + (n % addresses)}`
  request({ port, host: '127.0.0.1', localAddress, path, headers: { host }, agent: false })
    .on('response', (response) => {
      let bytes = 0
      let start = Buffer.alloc(0)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (start.length < 8) start = Buffer.concat([start, chunk.subarray(0, 8)]).subarray(0, 8)
      })
      response.on('error', reject)
      response.on('end', () => {
        const number = start.length === 8 ? Number(start.readBigUInt64LE()) : -1
        resolve({ status: response.statusCode ?? 0, bytes, start: number })
      })
    })
    .on('error', reject)
    .end()
  return promise
}
