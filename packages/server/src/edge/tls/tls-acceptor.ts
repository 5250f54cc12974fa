import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { ignoreError } from '../accept/close-connection.ts'
import { ConnectionSlots } from '../accept/connection-limits.ts'
import { callerUnlessProxy } from '../accept/trusted-proxies.ts'
import type { CertificateCache } from './certificate-cache.ts'
import { type ClientHello, readClientHello } from './client-hello.ts'
import {
  alertRecord,
  type HandshakeRefusal,
  tlsSettings,
  validationProtocol,
  webProtocols,
} from './settings.ts'

export interface TicketKeys {
  /** 48 bytes, the same in every process, so that each resumes the sessions of the others. */
  current(): Buffer
  onChange(listener: () => void): void
}

export interface TlsAcceptorLimits {
  /** What the client may take to say what it wants, and again for the rest of the handshake. */
  handshakeTimeout: number
  /** What we may take to find the certificate: longer than one on its way is waited for. */
  certificateTimeout: number
  mostHandshakes: number
}

export const defaultTlsAcceptorLimits: TlsAcceptorLimits = {
  handshakeTimeout: 10_000,
  certificateTimeout: 35_000,
  mostHandshakes: 2000,
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
  /** Handshakes that ended before they were done: clients that left, stalled or agree on nothing with us. */
  failed: number
  refused: Record<HandshakeRefusal, number>
}

export interface TlsAcceptor {
  /** `welcome` gets the connection when its handshake is done. Its `servername` is in lower case. */
  enter(socket: Socket, welcome: OnSecured): void
  readonly counts: Readonly<HandshakeCounts>
  underWay(): number
  /** Ends every handshake that is not done. */
  close(): void
}

type OnSecured = (secured: TLSSocket) => void

interface Handshake {
  certificate: SecureContext
  servername: string
  isValidation: boolean
  welcome: OnSecured
}

/**
 * The way from a TCP connection to one that is secured. What the client says first is read before OpenSSL sees it: so
 * the certificate is there when the handshake begins, and a name that nobody has costs no handshake at all.
 */
export function createTlsAcceptor({
  certificates,
  ticketKeys,
  isProxy = () => false,
  limits,
}: TlsAcceptorParts): TlsAcceptor {
  const { handshakeTimeout, certificateTimeout, mostHandshakes } = { ...defaultTlsAcceptorLimits, ...limits }
  const counts: HandshakeCounts = {
    completed: 0,
    validated: 0,
    failed: 0,
    refused: { unknown: 0, unavailable: 0, malformed: 0 },
  }
  const entering = new Map<Socket, NodeJS.Timeout>()
  const places = new ConnectionSlots<Socket>(mostHandshakes)
  let shared = newShared()
  ticketKeys.onChange(() => {
    shared = newShared()
  })
  return { enter, counts, underWay: () => entering.size, close }

  /** Sessions are resumed by the keys of this context, whatever certificate they began with. */
  function newShared(): SecureContext {
    return createSecureContext({ ...tlsSettings, ticketKeys: ticketKeys.current() })
  }

  function enter(socket: Socket, welcome: OnSecured): void {
    const chunks: Buffer[] = []
    let length = 0
    let needs = 1
    allow(socket, handshakeTimeout)
    socket.on('error', ignoreError)
    socket.once('close', fail)
    socket.once('end', leave)
    socket.on('data', read)
    makeRoomFor(socket)

    function read(chunk: Buffer): void {
      chunks.push(chunk)
      length += chunk.length
      if (length < needs) return
      const bytes = Buffer.concat(chunks)
      const hello = readClientHello(bytes)
      if (hello !== null && 'needs' in hello) {
        needs = hello.needs
        return
      }
      socket.off('data', read)
      socket.pause()
      if (hello === null) {
        refuse(socket, 'malformed')
        return
      }
      socket.unshift(bytes)
      greet(socket, hello, welcome)
    }

    function fail(): void {
      if (done(socket)) counts.failed++
    }
  }

  function greet(socket: Socket, { servername, protocols }: ClientHello, welcome: OnSecured): void {
    if (servername === null) {
      refuse(socket, 'unknown')
      return
    }
    const isValidation = protocols.length === 1 && protocols[0] === validationProtocol
    const { remoteAddress: from = '' } = socket
    const found = isValidation
      ? certificates.findValidation(servername, from)
      : certificates.find(servername, from)
    const goOn = (certificate: SecureContext | HandshakeRefusal) => {
      if (!entering.has(socket) || socket.destroyed) return
      if (typeof certificate === 'string') refuse(socket, certificate)
      else shakeHands(socket, { certificate, servername: servername.toLowerCase(), isValidation, welcome })
    }
    if (!(found instanceof Promise)) {
      goOn(found)
      return
    }
    allow(socket, certificateTimeout)
    found.then((certificate) => {
      if (entering.has(socket)) allow(socket, handshakeTimeout)
      goOn(certificate)
    })
  }

  function allow(socket: Socket, time: number): void {
    clearTimeout(entering.get(socket))
    entering.set(
      socket,
      setTimeout(() => socket.destroy(), time),
    )
  }

  function shakeHands(socket: Socket, { certificate, servername, isValidation, welcome }: Handshake): void {
    const secured = new TLSSocket(socket, {
      isServer: true,
      secureContext: shared,
      SNICallback: (_name, use) => use(null, certificate),
      ALPNProtocols: isValidation ? [validationProtocol] : webProtocols,
    })
    secured.on('error', ignoreError)
    secured.once('end', leave)
    secured.once('secure', () => {
      if (!done(socket)) return
      socket.off('end', leave)
      secured.off('end', leave)
      // Should OpenSSL ever read another name than was read here, nothing is served on it.
      if (String(secured.servername).toLowerCase() !== servername) {
        counts.failed++
        secured.destroy()
      } else if (isValidation) {
        counts.validated++
        secured.end(() => secured.destroy())
      } else {
        counts.completed++
        secured.servername = servername
        secured.off('error', ignoreError)
        welcome(secured)
      }
    })
  }

  function refuse(socket: Socket, refusal: HandshakeRefusal): void {
    if (!done(socket)) return
    counts.refused[refusal]++
    socket.setTimeout(handshakeTimeout, () => socket.destroy())
    socket.end(alertRecord(refusal), () => socket.destroy())
  }

  /** Whether it was still under way. */
  function done(socket: Socket): boolean {
    clearTimeout(entering.get(socket))
    places.leave(socket)
    return entering.delete(socket)
  }

  /**
   * Who is longest at it gives way: an honest client needs a moment, one that stalls takes all the time there is. Beyond
   * its share a caller's own do.
   */
  function makeRoomFor(socket: Socket): void {
    const caller = callerUnlessProxy(socket.remoteAddress ?? '', isProxy)
    while (!places.enter(socket, caller)) {
      const longest = places.takeIdle(caller) ?? socket
      longest.destroy()
      counts.failed++
      done(longest)
      if (longest === socket) return
    }
    places.isIdle(socket)
  }

  function close(): void {
    for (const socket of entering.keys()) socket.destroy()
  }
}

function leave(this: Socket): void {
  this.destroy()
}
