import type { Logger } from 'pino'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { noProxies, type ProxyFields } from '../accept/forwarded.ts'
import type { SiteConnections } from '../accept/site-connections.ts'
import type { SiteAnswers } from '../site-answers.ts'
import { ignoreError } from '../sockets/close-connection.ts'
import { Connection } from './connection.ts'
import { defaultHttp2Limits, type Http2Limits, type Http2Shared } from './limits.ts'

export interface Http2ConnectionsParts {
  answers: SiteAnswers
  limits?: Partial<Http2Limits> | undefined
  proxies?: ProxyFields | undefined
  log: Pick<Logger, 'error'>
}

const sweepInterval = 1_000

/** The connections of sites that speak HTTP/2 (RFC 9113). */
export function createHttp2Connections(parts: Http2ConnectionsParts): SiteConnections {
  const { answers, log, proxies = noProxies } = parts
  const limits = { ...defaultHttp2Limits, ...parts.limits }
  const open = new Set<Connection>()
  let isDraining = false
  let isClosing = false
  let sweeping: NodeJS.Timeout | null = null
  const shared: Http2Shared = {
    ...{ answers, limits, proxies, log },
    streams: new FairSemaphore(limits.maxTotalStreams),
    get isDraining() {
      return isDraining
    },
    onClosed(connection) {
      open.delete(connection as Connection)
      if (open.size > 0 || sweeping === null) return
      clearInterval(sweeping)
      sweeping = null
    },
  }
  return {
    accept(socket, servername) {
      socket.stream.on('error', ignoreError)
      const connection = new Connection(socket, servername, shared)
      open.add(connection)
      sweeping ??= setInterval(sweep, sweepInterval).unref()
      if (isClosing) connection.close()
      return connection
    },
    drain() {
      isDraining = true
      for (const connection of open) connection.drain()
    },
    close() {
      isDraining = true
      isClosing = true
      for (const connection of open) connection.close()
    },
  }

  function sweep(): void {
    for (const connection of open) connection.sweep()
  }
}
