import { noProxies } from './accept/forwarded.ts'
import { createHttp2Connections } from './http2/http2-connections.ts'
import { createListener, type Listener, type ListenerOptions, type SitesOnListener } from './listener.ts'
import {
  createHttp2Sessions,
  type Http2SessionLimits,
  type Http2SessionsParts,
} from './node-http/http2-sessions.ts'
import {
  createTlsAcceptor,
  type HandshakeCounts,
  type TlsAcceptorLimits,
  type TlsAcceptorParts,
} from './tls/tls-acceptor.ts'

export interface HttpsListenerOptions
  extends Omit<ListenerOptions, 'handshake'>,
    Pick<TlsAcceptorParts, 'certificates' | 'ticketKeys'>,
    Pick<Http2SessionsParts, 'handleStream'> {
  sites: SitesOnListener
  handshakeLimits?: Partial<TlsAcceptorLimits>
  sessionLimits?: Partial<Http2SessionLimits>
}

export interface HttpsListener extends Listener {
  readonly handshakes: Readonly<HandshakeCounts>
}

/**
 * HTTP/1.1 and HTTP/2 on one port. After the handshake, HTTP/1.1 is handled like plain HTTP. Over HTTP/2 a connection is
 * for the platform or for sites, by its server name.
 */
export async function createHttpsListener(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { certificates, ticketKeys, handleStream, handshakeLimits, sessionLimits, ...plain } = options
  const { proxies = noProxies } = options
  const { isProxy } = proxies
  const { answers, isPlatformName, openSocket, log } = options.sites
  const acceptor = createTlsAcceptor({ certificates, ticketKeys, isProxy, limits: handshakeLimits })
  const sessions = createHttp2Sessions({ handleStream, isProxy, limits: sessionLimits })
  const sites = createHttp2Connections({ answers, proxies, log, limits: sessionLimits })
  const listener = await createListener({
    ...plain,
    handshake: {
      accept: (socket, { toHttp1, watch }) =>
        acceptor.accept(socket, (secured) => {
          const servername = String(secured.servername)
          if (secured.alpnProtocol !== 'h2') toHttp1(secured)
          else
            watch(
              isPlatformName(servername)
                ? sessions.accept(secured)
                : sites.accept(openSocket(secured), servername),
            )
        }),
      drain() {
        sessions.close()
        sites.drain()
      },
      close() {
        acceptor.close()
        sites.close()
      },
    },
  })
  return { ...listener, handshakes: acceptor.counts }
}
