import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { readSiteRules } from '@masthead/contract/site-rules/read-site-rules.ts'
import { ruleFiles, type SiteRules } from '@masthead/contract/site-rules/rules.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import type { StagedBlob } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { encodings, type Manifest, type ManifestFile } from '../deployments/manifest.ts'
import type { DomainRoute, SiteRecord, SiteTarget } from '../projects/site.ts'
import { Passes } from '../protection/passes.ts'
import type { ListenerLimits } from './accept/connection-limits.ts'
import { createEdge, type Edge, type EdgeParts } from './edge.ts'
import { createListener, type SitesOnListener } from './listener.ts'
import { labelOf } from './sites/host.ts'
import { createOpenSocket } from './sockets/site-socket.ts'

const compress = { br: brotliCompressSync, zstd: zstdCompressSync, gzip: gzipSync }

export interface Published {
  record: SiteRecord
  manifest: Manifest
  rules?: SiteRules
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A real edge on a loopback port over a real file store. Put sites into `sites` and custom domains into `routes`. */
export async function startEdge(
  limits: Partial<ListenerLimits> = {},
  parsers: 'both' | 'http' = 'both',
  more: Partial<EdgeParts> = {},
) {
  const folder = await temporaryFolder('edge')
  const store = await createFileStore(folder.path)
  const calls = { find: 0, manifest: 0, route: 0, read: 0, open: 0 }
  const sites = new Map<string, Published>()
  const routes = new Map<string, DomainRoute>()
  /** Files that are read in pieces. */
  const files: { closed: boolean; bytesRead: number }[] = []
  const logged: unknown[] = []
  const log = { error: (...said: unknown[]) => void logged.push(said) }
  const database = {
    isAway: false,
    answers: Promise.resolve(),
    /** How long a look-up of a label or hostname takes. */
    delay: async (_name: string) => {},
  }

  const edge = createEdge({
    platformDomain: 'masthead.localhost',
    dashboardHost: 'localhost',
    listenerAddresses: ['127.0.0.1'],
    dashboardUrl: 'http://localhost:8080/',
    originOf: (hostname) => `http://${hostname}:8080`,
    sites: {
      platformDomain: 'masthead.localhost',
      async find(target: SiteTarget) {
        calls.find++
        await database.delay(labelOf(target))
        await database.answers
        if (database.isAway) throw new Error('the database is away')
        return sites.get(labelOf(target))?.record ?? null
      },
      async manifest(record) {
        calls.manifest++
        const site = [...sites.values()].find((one) => one.record.deploymentId === record.deploymentId)
        if (site === undefined) throw new Error(`no manifest of ${record.deploymentId}`)
        return site.manifest
      },
      async rules(record) {
        const site = [...sites.values()].find((one) => one.record.deploymentId === record.deploymentId)
        return structuredClone(site?.rules ?? null)
      },
      async route(hostname) {
        calls.route++
        const route = routes.get(hostname) ?? null
        await database.delay(hostname)
        await database.answers
        if (database.isAway) throw new Error('the database is away')
        return route
      },
    },
    blobs: {
      read(key) {
        calls.read++
        return store.read(key)
      },
      async openFile(key) {
        calls.open++
        const file = await store.openFile(key)
        const tracked = { closed: false, bytesRead: 0 }
        files.push(tracked)
        return {
          async read(start, into) {
            const length = await file.read(start, into)
            tracked.bytesRead += length
            return length
          },
          async close() {
            await file.close()
            tracked.closed = true
          },
        }
      },
    },
    protection: protectionOf(),
    platform: (req, res) => res.end(`platform ${req.url}`),
    log,
    ...more,
  })
  const listener = await createListener({
    host: '127.0.0.1',
    port: 0,
    handle: edge.handle,
    readInTurn: edge.readInTurn,
    refuser: edge.refuser,
    ...(parsers === 'both' ? { sites: sitesOf(edge, log) } : {}),
    ...(more.proxies && { proxies: more.proxies }),
    limits,
  })
  const { port } = listener.address

  async function keep(content: Uint8Array, place: Parameters<StagedBlob['commit']>[0]) {
    const staged = await store.stage(oneChunk(content), content.byteLength)
    await staged.commit(place)
    return staged
  }

  async function put(content: string | Buffer, encoded: boolean): Promise<ManifestFile> {
    const plain = typeof content === 'string' ? Buffer.from(content) : content
    const { sha256, size } = await keep(plain, { accountId: 'acc_1' })
    if (!encoded) return { sha256, size }
    const sizes: ManifestFile['encoded'] = {}
    for (const encoding of encodings) {
      const bytes = compress[encoding](plain)
      await keep(bytes, { accountId: 'acc_1', sha256, encoding })
      sizes[encoding] = bytes.length
    }
    return { sha256, size, encoded: sizes }
  }

  async function publish(
    label: string,
    files: Record<string, string | Buffer>,
    more: Partial<SiteRecord> & { encoded?: boolean; protect?: SiteRules['protect'] } = {},
  ): Promise<Published> {
    const { encoded = false, protect, ...settings } = more
    const manifest = new Map<string, ManifestFile>()
    for (const [path, content] of Object.entries(files)) manifest.set(path, await put(content, encoded))
    const record: SiteRecord = {
      projectId: `prj_${label}`,
      accountId: 'acc_1',
      slug: label.split('--').at(-1) ?? label,
      deploymentId: `dpl_${label}`,
      htmlHandling: 'auto',
      singlePage: false,
      redirect: null,
      ...settings,
    }
    const contents = ruleFiles.flatMap((path) => {
      const content = files[path]
      return content === undefined ? [] : [[path, Buffer.from(content)] as const]
    })
    const read = readSiteRules(new Map(contents), (path) => manifest.has(path), {
      countries: 'none',
      platformDomain: 'masthead.localhost',
    })
    const site = { record, manifest, rules: { ...read.rules, ...(protect && { protect }) } }
    sites.set(label, site)
    return site
  }

  /** Sends the path unchanged, where fetch would normalize it. */
  function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    const host = 'hello.masthead.localhost'
    return new Promise((resolve, reject) => {
      const req = request({
        port,
        host: '127.0.0.1',
        path,
        method,
        headers: { host, ...headers },
        agent: false,
      })
      req.on('error', reject)
      req.on('response', (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('error', reject)
        res.on('end', () =>
          resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) }),
        )
      })
      req.end()
    })
  }

  async function dial(): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    return socket
  }

  /** Everything received for these bytes, whose last request must close the connection. */
  async function exchange(bytes: string): Promise<string> {
    const socket = await dial()
    socket.write(bytes, 'latin1')
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    return Buffer.concat(chunks).toString('latin1')
  }

  async function stop(): Promise<void> {
    await listener.close(0)
    await folder.remove()
  }

  return {
    edge,
    listener,
    store,
    folder,
    calls,
    sites,
    routes,
    files,
    log,
    logged,
    database,
    publish,
    ask,
    dial,
    exchange,
    [Symbol.asyncDispose]: stop,
  }
}

/** With a key for tests, and the tickets in memory. */
export function protectionOf(key = Buffer.alloc(32, 7)): EdgeParts['protection'] {
  const used = new Set<string>()
  return {
    passes: new Passes(key),
    now: Date.now,
    isMember: async () => true,
    useTicket: async ({ id }) => !used.has(id) && used.add(id).has(id),
  }
}

/** What a listener needs to answer for sites. */
export function sitesOf(
  { answers, isPlatformName, refuser }: Edge,
  log: SitesOnListener['log'],
): SitesOnListener {
  return { answers, isPlatformName, isSite: refuser.isSite, openSocket: createOpenSocket(true), log }
}

async function* oneChunk(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
