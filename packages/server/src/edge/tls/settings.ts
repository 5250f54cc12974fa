import { constants } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'

/** What a name cannot differ in. Clients of the last ten years find themselves here (Mozilla's "intermediate"). */
export const tlsSettings: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  // The cheaper AES first: 128 bits are beyond reach, and the processor time goes to visitors.
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
  // What is recorded today stays secret from computers to come (ML-KEM, FIPS 203), where OpenSSL and the client know it.
  ecdhCurve: '?X25519MLKEM768:X25519:P-256:P-384',
  // Who puts ChaCha20 first has no AES in hardware; renegotiation is work that a client can ask for without end.
  secureOptions: constants.SSL_OP_PRIORITIZE_CHACHA | constants.SSL_OP_NO_RENEGOTIATION,
  // Node's own depends on how the process was started, and processes could not resume each other's sessions.
  sessionIdContext: 'masthead',
  sessionTimeout: 12 * 60 * 60,
}

export const webProtocols = ['h2', 'http/1.1']

/** The protocol in which a CA looks for the answer to a challenge (RFC 8737). */
export const validationProtocol = 'acme-tls/1'

/** Why a handshake is refused, as clients are told (RFC 8446, 6.2). */
export const alerts = {
  /** Nobody here has the name, or none was given. */
  unknown: 112,
  /** It cannot be told now who has it. */
  unavailable: 80,
  malformed: 50,
} as const

export type HandshakeRefusal = keyof typeof alerts

/** A fatal alert, for before there are keys. */
export function alertRecord(refusal: HandshakeRefusal): Buffer {
  return Buffer.from([21, 3, 3, 0, 2, 2, alerts[refusal]])
}
