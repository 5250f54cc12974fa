import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { requirePeer } from '@masthead/testing/peers.ts'

export interface Load {
  url: string
  headers: Record<string, string>
  core: number
  seconds: number
}

/** Requests a second over 64 connections from one pinned thread. */
export async function requestsPerSecond({ url, headers, core, seconds }: Load): Promise<number> {
  const wrk = [requirePeer('wrk'), '-t1', '-c64', `-d${seconds}s`]
  for (const [name, value] of Object.entries(headers)) wrk.push('-H', `${name}: ${value}`)
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(core), ...wrk, url])
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  if (/Non-2xx or 3xx responses|Socket errors/.test(stdout) || !(rate > 0)) {
    throw new Error(`A measurement with errors is worth nothing:\n${stdout}`)
  }
  return rate
}
