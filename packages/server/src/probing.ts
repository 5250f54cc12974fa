import type { Config } from './config.ts'
import type { Probing } from './domains/probe-domain.ts'

/** Where our own requests to a domain go: to the edge of this machine, or else to the first of its public addresses. */
export function probingOf(
  config: Pick<Config, 'roles' | 'host' | 'httpsPort' | 'publicHttpsPort' | 'edgeAddresses'>,
): Probing {
  const { host, httpsPort: port, publicHttpsPort: publicPort } = config
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const edgeAt = config.roles.has('edge')
    ? { host: own, port }
    : { host: config.edgeAddresses[0] ?? own, port: publicPort }
  return { edgeAt, publicPort }
}
