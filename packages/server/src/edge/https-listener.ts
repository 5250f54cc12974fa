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
  extends Omit<ListenerOptions, 'approach'>,
    Pick<TlsAcceptorParts, 'certificates' | 'ticketKeys'>,
    Pick<Http2SessionsParts, 'handleStream'> {
  handshakeLimits?: Partial<TlsAcceptorLimits>
  sessionLimits?: Partial<Http2SessionLimits>
}

export interface HttpsListener extends Listener {
  readonly handshakes: Readonly<HandshakeCounts>
}

/** HTTP/1.1 and HTTP/2 on one port. After the handshake HTTP/1.1 goes the ways of plain HTTP. */
export async function createHttpsListener(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { certificates, ticketKeys, handleStream, handshakeLimits, sessionLimits, ...plain } = options
  const door = createTlsAcceptor({
    certificates,
    ticketKeys,
    isProxy: options.isProxy,
    limits: handshakeLimits,
  })
  const sessions = createHttp2Sessions({ handleStream, isProxy: options.isProxy, limits: sessionLimits })
  const listener = await createListener({
    ...plain,
    approach: {
      enter: (socket, { toHttp, watch }) =>
        door.enter(socket, (secured) =>
          secured.alpnProtocol === 'h2' ? watch(sessions.take(secured)) : toHttp(secured),
        ),
      drain: () => sessions.close(),
      close: () => door.close(),
    },
  })
  return { ...listener, handshakes: door.counts }
}
