import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { until } from '@masthead/testing/until.ts'
import { folderOf, isText, type MixedFile } from './sites.ts'
import type { ExpectedFile } from './visitor.ts'

interface Fetched {
  status: number
  encoding: string | undefined
  etag: string | undefined
  body: Buffer
}

async function fetchFile(
  port: number,
  { host, path }: MixedFile,
  accepted: string,
  agent: Agent,
): Promise<Fetched> {
  const headers = { host, 'accept-encoding': accepted, 'sec-fetch-dest': 'document' }
  const sent = request({ host: '127.0.0.1', port, path, headers, agent }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 0, headers: received } = answer
  return { status, encoding: received['content-encoding'], etag: received.etag, body: await buffer(answer) }
}

/** All that Masthead makes. Only when the last exists does it stop working in the background. */
const forms = { br: '.br', gzip: '.gz', zstd: null } as const
/** Brotli at its best is slow. */
const patience = { everyMs: 200, atMostMs: 300_000 }

/** Takes the compressed files from Masthead and puts them where the others expect them: all then send the same bytes. */
export async function compressLikeMasthead(
  port: number,
  root: string,
  files: readonly MixedFile[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (const [encoding, suffix] of Object.entries(forms)) {
    for (const file of files) {
      if (!isText(file.kind)) continue
      let form = await fetchFile(port, file, encoding, agent)
      await until(async () => {
        if (form.encoding === encoding) return true
        form = await fetchFile(port, file, encoding, agent)
        return form.encoding === encoding
      }, patience)
      if (suffix !== null) await writeFile(join(folderOf(root, file.host), file.file + suffix), form.body)
    }
  }
  agent.destroy()
}

/** What a server answers to browsers: every file, in brotli if it is text. */
export async function expectAnswers(port: number, files: readonly MixedFile[]): Promise<ExpectedFile[]> {
  const agent = new Agent({ keepAlive: true })
  const expected: ExpectedFile[] = []
  for (const file of files) {
    const { status, encoding, etag, body } = await fetchFile(port, file, 'gzip, deflate, br', agent)
    if (status !== 200 || etag === undefined || encoding !== (isText(file.kind) ? 'br' : undefined))
      throw new Error(`${file.host}${file.path}: ${status}, ${encoding}, ETag ${etag}`)
    expected.push({ ...file, bytes: body.length, etag })
  }
  agent.destroy()
  return expected
}
