import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { requirePeer } from './peers.ts'

export interface CurlAnswer {
  status: number
  version: string
  /** Where it leads, or an empty string. */
  location: string
  body: string
}

/** What curl gets from this machine for a URL of any name. It trusts the roots in `rootFile` and no others. */
export async function curl(url: string, rootFile: string, ...options: string[]): Promise<CurlAnswer> {
  const { hostname, port } = new URL(url)
  const here = ['--resolve', `${hostname}:${port}:127.0.0.1`, '--noproxy', '*', '--cacert', rootFile]
  const told = ['--silent', '--show-error', '--write-out', '\n%{http_code} %{http_version} %{redirect_url}']
  const { stdout } = await promisify(execFile)(requirePeer('curl'), [...here, ...told, ...options, url])
  const end = stdout.lastIndexOf('\n')
  const [status, version = '', location = ''] = stdout.slice(end + 1).split(' ')
  return { status: Number(status), version, location, body: stdout.slice(0, end) }
}
