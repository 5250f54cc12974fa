import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

export interface Probe {
  status: number
  etag: string | undefined
  bytes: number
}

/** For HTTPS: the requested name, and the trusted root. */
interface Trust {
  servername: string
  ca: string
}

/** One request, to check before a measurement that all servers give the same answer. */
async function probe(url: string, headers: Record<string, string>, trust?: Trust): Promise<Probe> {
  const sent =
    trust === undefined
      ? request(url, { headers }).end()
      : requestSecurely(url, { headers, agent: false, ...trust }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return { status: response.statusCode ?? 0, etag: response.headers.etag, bytes }
}

export const host = 'bench.masthead.localhost'

/** The requests of the serving benchmarks. */
export const siteCases = [
  { name: '4 KB', path: '/small.css', bytes: 4096, conditional: false },
  { name: '64 KB', path: '/large.css', bytes: 65536, conditional: false },
  { name: '304 of 4 KB', path: '/small.css', bytes: 4096, conditional: true },
] as const

export type SiteCase = (typeof siteCases)[number]

export interface BenchSite extends AsyncDisposable {
  folder: string
  /** The same files as a tar.gz. */
  archive: string
}

export async function makeSite(): Promise<BenchSite> {
  const { path, remove } = await temporaryFolder('masthead-site')
  const [folder, archive] = [join(path, 'site'), join(path, 'site.tar.gz')]
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), 'Benchmarks')
  for (const { path: file, bytes } of siteCases)
    await writeFile(join(folder, file), randomBytes(bytes / 2).toString('hex'))
  await promisify(execFile)('tar', ['-czf', archive, '-C', folder, '.'])
  return { folder, archive, [Symbol.asyncDispose]: remove }
}

/** The request headers, after checking that this server answers as expected. */
export async function headersFor(
  origin: string,
  { path, bytes, conditional }: SiteCase,
  trust?: Trust,
): Promise<Record<string, string>> {
  const url = `${origin}${path}`
  const full = await probe(url, { Host: host }, trust)
  if (full.status !== 200 || full.bytes !== bytes)
    throw new Error(`${url}: ${full.status}, ${full.bytes} bytes`)
  const headers = conditional ? { Host: host, 'If-None-Match': full.etag ?? '' } : { Host: host }
  const again = await probe(url, headers, trust)
  if (again.status !== (conditional ? 304 : 200)) throw new Error(`${url}: ${again.status} to If-None-Match`)
  return headers
}
