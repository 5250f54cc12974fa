import { createListener, type Listener, type ListenerOptions } from './listener.ts'
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
  handshakeLimits?: Partial<TlsAcceptorLimits>
  sessionLimits?: Partial<Http2SessionLimits>
}

export interface HttpsListener extends Listener {
  readonly handshakes: Readonly<HandshakeCounts>
}

/** HTTP/1.1 and HTTP/2 on one port. After the handshake, HTTP/1.1 is handled like plain HTTP. */
export async function createHttpsListener(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { certificates, ticketKeys, handleStream, handshakeLimits, sessionLimits, ...plain } = options
  const { isProxy } = options
  const acceptor = createTlsAcceptor({ certificates, ticketKeys, isProxy, limits: handshakeLimits })
  const sessions = createHttp2Sessions({ handleStream, isProxy, limits: sessionLimits })
  const listener = await createListener({
    ...plain,
    handshake: {
      accept: (socket, { toHttp1, watch }) =>
        acceptor.accept(socket, (secured) =>
          secured.alpnProtocol === 'h2' ? watch(sessions.accept(secured)) : toHttp1(secured),
        ),
      drain: () => sessions.close(),
      close: () => acceptor.close(),
    },
  })
  return { ...listener, handshakes: acceptor.counts }
}
