import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requirePeer } from '@masthead/testing/peers/peers.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

export interface Load {
  url: string
  headers: Record<string, string>
  core: number
  seconds: number
  /** 64 over HTTP/1.1 and 32 over HTTP/2 unless told otherwise. */
  connections?: number
  /** At once on each connection over HTTP/2: 10 unless told otherwise. */
  streams?: number
}

export interface LoadReport {
  requests: number
  bytes: number
  perSecond: number
}

const loopback = fileURLToPath(new URL('loopback.lua', import.meta.url))

/** All servers then encrypt with the same cipher, whichever they prefer. */
const sameCipher = { ...process.env, OPENSSL_CONF: fileURLToPath(new URL('openssl.cnf', import.meta.url)) }

/** HTTP/1.1 from one pinned thread, to this machine whatever the host in the URL. */
export async function loadOverHttp1({
  url,
  headers,
  core,
  seconds,
  connections = 64,
}: Load): Promise<LoadReport> {
  const wrk = [requirePeer('wrk'), '-t1', `-c${connections}`, `-d${seconds}s`, '-s', loopback]
  for (const [name, value] of Object.entries(headers)) wrk.push('-H', `${name}: ${value}`)
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(core), ...wrk, url], {
    env: sameCipher,
  })
  const [, requests, bytes] = /Exactly: (\d+) requests, (\d+) bytes/.exec(stdout) ?? []
  return { requests: Number(requests), bytes: Number(bytes), perSecond: readRate(stdout) }
}

export interface RunningLoad {
  /** Resolves to the requests per second. */
  stop(): Promise<number>
}

/**
 * Requests the home pages of these hosts round-robin over 8 connections until it is stopped. Each connection pauses this
 * many milliseconds after an answer; without a pause they saturate the server.
 */
export async function startLoad(port: number, hosts: readonly string[], pause: number): Promise<RunningLoad> {
  const folder = await temporaryFolder('masthead-wrk')
  const script = join(folder.path, 'hosts.lua')
  const list = hosts.map((host) => `'${host}'`).join(',')
  await writeFile(
    script,
    `local hosts, n = {${list}}, 0
     request = function()
       n = n + 1
       return wrk.format('GET', '/', { Host = hosts[n % #hosts + 1] })
     end
     ${pause > 0 ? `delay = function() return ${pause} end` : ''}`,
  )
  const args = ['-t1', '-c8', '-d3600s', '-s', script, `http://127.0.0.1:${port}/`]
  const child = spawn(requirePeer('wrk'), args, { stdio: ['ignore', 'pipe', 'inherit'] })
  killOnExit(child)
  const output = text(child.stdout)
  return {
    async stop() {
      const ended = once(child, 'close')
      // On SIGINT wrk stops early and still reports.
      child.kill('SIGINT')
      await ended
      await folder.remove()
      return readRate(await output)
    },
  }
}

function readRate(report: string): number {
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1])
  if (/Non-2xx or 3xx responses|Socket errors/.test(report) || !(rate > 0)) {
    throw new Error(`There were errors, so this measurement is void:\n${report}`)
  }
  return rate
}

/** HTTP/2 from one pinned thread. */
export async function loadOverHttp2({
  url,
  headers,
  core,
  seconds,
  connections = 32,
  streams = 10,
}: Load): Promise<LoadReport> {
  const words = [`-c${connections}`, `-m${streams}`, '-D', String(seconds)]
  const report = await h2load(url, core, [...words, ...headerWords(headers)])
  return {
    requests: Number(/requests: .* (\d+) done/.exec(report)?.[1]),
    bytes: Number(/traffic: .* \((\d+)\) data/.exec(report)?.[1]),
    perSecond: Number(/finished in [^,]+, ([\d.]+) req\/s/.exec(report)?.[1]),
  }
}

/** New connections, each with a full handshake and one request. */
export async function openConnections(
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
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(core), ...command], {
    env: sameCipher,
  })
  if (!/ 0 failed, 0 errored, 0 timeout/.test(stdout) || !/ 0 4xx, 0 5xx/.test(stdout)) {
    throw new Error(`There were errors, so this measurement is void:\n${stdout}`)
  }
  // What another version or cipher costs cannot be compared.
  if (!/TLS Protocol: TLSv1.3\nCipher: TLS_AES_128_GCM_SHA256/.test(stdout))
    throw new Error(`Other TLS:\n${stdout}`)
  return stdout
}

/** HTTP/2 takes the host from the URL. */
function headerWords({ Host: _, ...headers }: Record<string, string>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
}
