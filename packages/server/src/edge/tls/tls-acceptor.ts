import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { ConnectionSlots } from '../accept/connection-limits.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import { closeLingering, ignoreError } from '../sockets/close-connection.ts'
import type { CertificateCache } from './certificate-cache.ts'
import type { ClientHello } from './client-hello.ts'
import { readHelloFrom } from './client-hello-reader.ts'
import { createHandshakes, destroyOnEnd, type Handshake, type TicketKeys } from './handshake.ts'
import { looksLikeHttp, plainHttpAnswer } from './plain-http.ts'
import { alertRecord, type HandshakeRefusal, validationProtocol } from './settings.ts'

export interface TlsAcceptorLimits {
  /** For the client's first message, and again for the rest of the handshake. */
  handshakeTimeout: number
  /** For finding the certificate: longer than the wait for a pending one. */
  certificateTimeout: number
  maxHandshakes: number
}

const defaultTlsAcceptorLimits: TlsAcceptorLimits = {
  handshakeTimeout: 10_000,
  certificateTimeout: 35_000,
  maxHandshakes: 2000,
}

export interface TlsAcceptorParts {
  certificates: Pick<CertificateCache, 'find' | 'findValidation'>
  ticketKeys: TicketKeys
  isProxy?: ((address: string) => boolean) | undefined
  limits?: Partial<TlsAcceptorLimits> | undefined
}

export interface HandshakeCounts {
  completed: number
  /** Validations by a certificate authority that were answered. */
  validated: number
  /** The client left, stalled or shares no protocol or cipher with us. */
  failed: number
  refused: Record<HandshakeRefusal, number>
}

export interface TlsAcceptor {
  /** Calls back when the handshake is done. The `servername` is in lower case. */
  accept(socket: Socket, onSecured: OnSecured): void
  readonly counts: Readonly<HandshakeCounts>
  /** Ends every handshake in progress. */
  close(): void
}

type OnSecured = (secured: TLSSocket) => void

/**
 * Turns TCP connections into TLS ones. The ClientHello is read before OpenSSL sees it: that way the certificate is there
 * when the handshake begins, and an unknown name costs no handshake at all.
 */
export function createTlsAcceptor({
  certificates,
  ticketKeys,
  isProxy = () => false,
  limits,
}: TlsAcceptorParts): TlsAcceptor {
  const { handshakeTimeout, certificateTimeout, maxHandshakes } = { ...defaultTlsAcceptorLimits, ...limits }
  const counts: HandshakeCounts = {
    completed: 0,
    validated: 0,
    failed: 0,
    refused: { unknown: 0, unavailable: 0, malformed: 0 },
  }
  const pending = new Map<Socket, NodeJS.Timeout>()
  const slots = new ConnectionSlots<Socket>(maxHandshakes)
  const startHandshake = createHandshakes(ticketKeys)
  return { accept, counts, close }

  function accept(socket: Socket, onSecured: OnSecured): void {
    setDeadline(socket, handshakeTimeout)
    socket.on('error', ignoreError)
    socket.once('close', () => {
      if (finish(socket)) counts.failed++
    })
    socket.once('end', destroyOnEnd)
    readHelloFrom(socket, (hello, bytes) => {
      if (hello === null) refuse(socket, 'malformed', looksLikeHttp(bytes))
      else findCertificate(socket, hello, onSecured)
    })
    acquireSlot(socket)
  }

  function findCertificate(
    socket: Socket,
    { servername, protocols, offersTls13 }: ClientHello,
    onSecured: OnSecured,
  ): void {
    if (servername === null) {
      refuse(socket, 'unknown')
      return
    }
    const isValidation = protocols.length === 1 && protocols[0] === validationProtocol
    const { remoteAddress: from = '' } = socket
    const found = isValidation
      ? certificates.findValidation(servername, from)
      : certificates.find(servername, from)
    const proceed = (certificate: SecureContext | HandshakeRefusal) => {
      if (!pending.has(socket) || socket.destroyed) return
      if (typeof certificate === 'string') refuse(socket, certificate)
      else {
        const name = servername.toLowerCase()
        secure(socket, { certificate, servername: name, isValidation, offersTls13 }, onSecured)
      }
    }
    if (!(found instanceof Promise)) {
      proceed(found)
      return
    }
    setDeadline(socket, certificateTimeout)
    found.then((certificate) => {
      if (pending.has(socket)) setDeadline(socket, handshakeTimeout)
      proceed(certificate)
    })
  }

  function secure(socket: Socket, handshake: Handshake, onSecured: OnSecured): void {
    startHandshake(socket, handshake, (secured) => {
      if (!finish(socket)) return
      if (secured === null) counts.failed++
      else if (handshake.isValidation) {
        counts.validated++
        secured.end(() => secured.destroy())
      } else {
        counts.completed++
        secured.off('error', ignoreError)
        onSecured(secured)
      }
    })
  }

  function refuse(socket: Socket, refusal: HandshakeRefusal, inWords = false): void {
    if (!finish(socket)) return
    counts.refused[refusal]++
    if (inWords) {
      socket.write(plainHttpAnswer())
      closeLingering(socket)
      return
    }
    socket.setTimeout(handshakeTimeout, () => socket.destroy())
    socket.end(alertRecord(refusal), () => socket.destroy())
  }

  function setDeadline(socket: Socket, milliseconds: number): void {
    clearTimeout(pending.get(socket))
    pending.set(
      socket,
      setTimeout(() => socket.destroy(), milliseconds),
    )
  }

  /** Returns whether the handshake was still pending. */
  function finish(socket: Socket): boolean {
    clearTimeout(pending.get(socket))
    slots.release(socket)
    return pending.delete(socket)
  }

  /**
   * Evicts the oldest handshake if there is no free slot: an honest client is done in a moment, a stalling one takes all
   * the time it gets. A caller over its share loses its own.
   */
  function acquireSlot(socket: Socket): void {
    const caller = callerUnlessProxy(socket.remoteAddress ?? '', isProxy)
    while (!slots.tryAcquire(socket, caller)) {
      const oldest = slots.evictIdle(caller) ?? socket
      oldest.destroy()
      counts.failed++
      finish(oldest)
      if (oldest === socket) return
    }
    slots.markIdle(socket)
  }

  function close(): void {
    for (const socket of pending.keys()) socket.destroy()
  }
}
