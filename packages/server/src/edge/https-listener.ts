import { createSessions, type SessionLimits, type SessionsParts } from './h2/sessions.ts'
import { createListener, type Listener, type ListenerOptions } from './listener.ts'
import {
  createFrontDoor,
  type FrontDoorLimits,
  type FrontDoorParts,
  type HandshakeCounts,
} from './tls/front-door.ts'

export interface HttpsListenerOptions
  extends Omit<ListenerOptions, 'approach'>,
    Pick<FrontDoorParts, 'certificates' | 'ticketKeys'>,
    Pick<SessionsParts, 'handleStream'> {
  handshakeLimits?: Partial<FrontDoorLimits>
  sessionLimits?: Partial<SessionLimits>
}

export interface HttpsListener extends Listener {
  readonly handshakes: Readonly<HandshakeCounts>
}

/** HTTP/1.1 and HTTP/2 on one port. After the handshake HTTP/1.1 goes the ways of plain HTTP. */
export async function createHttpsListener(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { certificates, ticketKeys, handleStream, handshakeLimits, sessionLimits, ...plain } = options
  const door = createFrontDoor({
    certificates,
    ticketKeys,
    isProxy: options.isProxy,
    limits: handshakeLimits,
  })
  const sessions = createSessions({ handleStream, isProxy: options.isProxy, limits: sessionLimits })
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
