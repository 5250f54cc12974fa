/**
 * Certificate authorities look below it for the answer to an http-01 challenge, over plain HTTP (RFC 8555, 8.3). The
 * answer is the key authorization.
 */
export const challengePath = '/.well-known/acme-challenge/'
