import { calculateJwkThumbprint } from 'jose'
import type { KeyPair } from '../key-pair.ts'

/** What answers a challenge: its token, bound to the account's key (RFC 8555, section 8.1). */
export async function keyAuthorization(token: string, { publicKey }: KeyPair): Promise<string> {
  return `${token}.${await calculateJwkThumbprint(publicKey)}`
}

/** Where an http-01 challenge is answered, over plain HTTP. The answer is the key authorization. */
export const challengePath = '/.well-known/acme-challenge/'
