import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { ignoreError } from '../accept/close-connection.ts'
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
}

export type StartHandshake = (
  socket: Socket,
  handshake: Handshake,
  /** Called when the handshake is done. The socket is null if OpenSSL read another name from it than we did. */
  onSecure: (secured: TLSSocket | null) => void,
) => void

/** Sessions are resumed with the keys of one shared context, whatever certificate they began with. */
export function createHandshakes(ticketKeys: TicketKeys): StartHandshake {
  let shared = newContext()
  ticketKeys.onChange(() => {
    shared = newContext()
  })
  return startHandshake

  function newContext(): SecureContext {
    return createSecureContext({ ...tlsSettings, ticketKeys: ticketKeys.current() })
  }

  function startHandshake(
    socket: Socket,
    { certificate, servername, isValidation }: Handshake,
    onSecure: (secured: TLSSocket | null) => void,
  ): void {
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: shared,
      SNICallback: (_name, use) => use(null, certificate),
      ALPNProtocols: isValidation ? [validationProtocol] : webProtocols,
    })
    secured.on('error', ignoreError)
    secured.once('end', destroyOnEnd)
    secured.once('secure', () => {
      socket.off('end', destroyOnEnd)
      secured.off('end', destroyOnEnd)
      if (String(secured.servername).toLowerCase() !== servername) {
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
