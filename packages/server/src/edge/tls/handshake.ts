import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { memoize } from '../../kernel/cache/memoize.ts'
import { ignoreError } from '../sockets/close-connection.ts'
import { tlsSettings, validationProtocol, webProtocols } from './settings.ts'

export interface TicketKeys {
  /** 48 bytes, the same in every process, so that each can resume the sessions of the others. */
  current(): Buffer
  onChange(listener: () => void): void
}

export interface Handshake {
  certificate: SecureContext
  /** In lower case. */
  servername: string
  /** A certificate authority validates a tls-alpn-01 challenge. */
  isValidation: boolean
  offersTls13: boolean
}

export type StartHandshake = (
  socket: Socket,
  handshake: Handshake,
  /** Called when the handshake is done. The socket is null if OpenSSL read another name from it than we did. */
  onSecure: (secured: TLSSocket | null) => void,
) => void

/** Few clients need one, and a context takes about 63 KiB of memory. */
const maxOlderContexts = 100

/**
 * Sessions are resumed with the keys of one shared context, whatever certificate they began with. Before TLS 1.3, OpenSSL
 * would resume a session under any name, so each name has a context of its own.
 */
export function createHandshakes(ticketKeys: TicketKeys): StartHandshake {
  let shared = newContext()
  let olderContext = memoize(maxOlderContexts, contextOf)
  ticketKeys.onChange(() => {
    shared = newContext()
    olderContext = memoize(maxOlderContexts, contextOf)
  })
  return startHandshake

  function contextOf(servername: string): SecureContext {
    // At most 32 bytes.
    return newContext(createHash('sha256').update(servername).digest('base64').slice(0, 32))
  }

  function newContext(sessionIdContext = tlsSettings.sessionIdContext): SecureContext {
    return createSecureContext({ ...tlsSettings, sessionIdContext, ticketKeys: ticketKeys.current() })
  }

  function startHandshake(
    socket: Socket,
    { certificate, servername, isValidation, offersTls13 }: Handshake,
    onSecure: (secured: TLSSocket | null) => void,
  ): void {
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: offersTls13 ? shared : olderContext(servername),
      SNICallback: (_name, use) => use(null, certificate),
      ALPNProtocols: isValidation ? [validationProtocol] : webProtocols,
    })
    secured.on('error', ignoreError)
    secured.once('end', destroyOnEnd)
    secured.once('secure', () => {
      socket.off('end', destroyOnEnd)
      secured.off('end', destroyOnEnd)
      // Before TLS 1.3, OpenSSL has no name for a resumed session. Its context is for this name alone.
      const isResumed = !offersTls13 && !secured.servername && secured.isSessionReused()
      if (!isResumed && String(secured.servername).toLowerCase() !== servername) {
        secured.destroy()
        onSecure(null)
        return
      }
      secured.servername = servername
      onSecure(secured)
    })
  }
}

/** Node would keep a half-open socket: a client that ends during the handshake is gone. */
export function destroyOnEnd(this: Socket): void {
  this.destroy()
}
