import { constants } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'

/** The same for every name. Supports clients of the last ten years (Mozilla's "intermediate"). */
export const tlsSettings: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  // AES-128 first: it is secure, and cheaper than AES-256.
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
  ].join(':'),
  honorCipherOrder: true,
  // Post-quantum key exchange (ML-KEM, FIPS 203) if OpenSSL and the client support it.
  ecdhCurve: '?X25519MLKEM768:X25519:P-256:P-384',
  // A client that prefers ChaCha20 has no AES hardware. Renegotiation would let clients cause unlimited work.
  secureOptions: constants.SSL_OP_PRIORITIZE_CHACHA | constants.SSL_OP_NO_RENEGOTIATION,
  // Node's default depends on the command line, so processes could not resume each other's sessions.
  sessionIdContext: 'masthead',
  sessionTimeout: 12 * 60 * 60,
}

/** In our order. A client that offers only others would be refused. */
export const webProtocols = ['h2', 'http/1.1', 'http/1.0']

/** The protocol a CA uses to validate a tls-alpn-01 challenge (RFC 8737). */
export const validationProtocol = 'acme-tls/1'

/** Why a handshake is refused, as a TLS alert (RFC 8446, 6.2). */
const alerts = {
  /** unrecognized_name: nobody here has it, or the client sent none. */
  unknown: 112,
  /** internal_error: we cannot tell right now. */
  unavailable: 80,
  malformed: 50,
} as const

export type HandshakeRefusal = keyof typeof alerts

/** A fatal alert, unencrypted. */
export function alertRecord(refusal: HandshakeRefusal): Buffer {
  return Buffer.from([21, 3, 3, 0, 2, 2, alerts[refusal]])
}
