import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { requirePeer } from '@masthead/testing/peers.ts'
import type { Load } from './wrk.ts'

export const [connections, streams] = [32, 10]

/** Requests a second over HTTP/2, from one pinned thread. */
export async function streamsPerSecond({ url, headers, core, seconds }: Load): Promise<number> {
  const words = [`-c${connections}`, `-m${streams}`, '-D', String(seconds)]
  const report = await h2load(url, core, [...words, ...headerWords(headers)])
  return Number(/finished in [^,]+, ([\d.]+) req\/s/.exec(report)?.[1])
}

/** So many connections, each with a handshake of its own and one request. */
export async function connectAfresh(
  { url, headers, core }: Load,
  protocol: 'HTTP/1.1' | 'HTTP/2',
  count: number,
): Promise<void> {
  const words = ['-n', String(count), '-c', String(count), ...(protocol === 'HTTP/1.1' ? ['--h1'] : [])]
  const report = await h2load(url, core, [...words, ...headerWords(headers)])
  if (!report.includes(`${count} succeeded`)) throw new Error(`Not all were answered:\n${report}`)
}

async function h2load(url: string, core: number, words: readonly string[]): Promise<string> {
  const to = `--connect-to=127.0.0.1:${new URL(url).port}`
  const command = [requirePeer('h2load'), '-t1', to, ...words, url]
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(core), ...command])
  if (!/ 0 failed, 0 errored, 0 timeout/.test(stdout) || !/ 0 4xx, 0 5xx/.test(stdout)) {
    throw new Error(`A measurement with errors is worth nothing:\n${stdout}`)
  }
  // Some servers have to be told, and the older version costs something else.
  if (!stdout.includes('TLS Protocol: TLSv1.3')) throw new Error(`This was not TLS 1.3:\n${stdout}`)
  return stdout
}

/** The host is that of the URL, as HTTP/2 has it. */
function headerWords({ Host: _, ...headers }: Record<string, string>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
}
