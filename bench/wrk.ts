import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endWithUs } from '@masthead/testing/end-with-us.ts'
import { requirePeer } from '@masthead/testing/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

export interface Load {
  url: string
  headers: Record<string, string>
  core: number
  seconds: number
}

const loopback = fileURLToPath(new URL('loopback.lua', import.meta.url))

/** Requests a second over 64 connections from one pinned thread, to this machine whatever the name in the URL. */
export async function requestsPerSecond({ url, headers, core, seconds }: Load): Promise<number> {
  const wrk = [requirePeer('wrk'), '-t1', '-c64', `-d${seconds}s`, '-s', loopback]
  for (const [name, value] of Object.entries(headers)) wrk.push('-H', `${name}: ${value}`)
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(core), ...wrk, url])
  return readRate(stdout)
}

export interface RunningLoad {
  /** Ends it and tells how many requests a second there were. */
  stop(): Promise<number>
}

/**
 * Requests for the front pages of these hosts in turn, over 8 connections, until it is stopped. Each pauses for so
 * many milliseconds after an answer; without a pause they take all the server has.
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
  endWithUs(child)
  const output = text(child.stdout)
  return {
    async stop() {
      const ended = once(child, 'close')
      // wrk stops early on a SIGINT and still gives its report.
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
    throw new Error(`A measurement with errors is worth nothing:\n${report}`)
  }
  return rate
}
