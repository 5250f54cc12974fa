import { exportJWK, FlattenedSign, type JWK } from 'jose'
import type { KeyPair } from '../x509/key-pair.ts'

/** An account signs with its URL; before registration there is only a key. */
export interface Signer {
  key: KeyPair
  url: string | null
}

const algorithm = 'ES256'

/** The body of a request (RFC 8555, section 6.2). Without a payload it is a POST-as-GET. */
export async function signedRequest(
  { key, url: kid }: Signer,
  { url, nonce, payload }: { url: string; nonce: string; payload?: unknown },
): Promise<string> {
  const signer = kid === null ? { jwk: await publicJwk(key) } : { kid }
  return sign(payload, { alg: algorithm, nonce, url, ...signer }, key.privateKey)
}

/** Signed by the new key to show that we have it (RFC 8555, section 7.3.5). */
export async function keyChangePayload({
  oldKey,
  newKey,
  accountUrl,
  url,
}: {
  oldKey: KeyPair
  newKey: KeyPair
  accountUrl: string
  url: string
}): Promise<unknown> {
  const change = { account: accountUrl, oldKey: await publicJwk(oldKey) }
  const header = { alg: algorithm, jwk: await publicJwk(newKey), url }
  return JSON.parse(await sign(change, header, newKey.privateKey))
}

export interface ExternalAccount {
  kid: string
  /** In base64url or base64, as the CA provided it. */
  hmacKey: string
}

/** Signed with the external account's key to bind our key to it (RFC 8555, section 7.3.4). */
export async function externalAccountBinding(
  key: KeyPair,
  { kid, hmacKey }: ExternalAccount,
  url: string,
): Promise<unknown> {
  const secret = Buffer.from(hmacKey, 'base64url')
  return JSON.parse(await sign(await publicJwk(key), { alg: 'HS256', kid, url }, secret))
}

async function publicJwk({ publicKey }: KeyPair): Promise<JWK> {
  const { kty, crv, x, y } = await exportJWK(publicKey)
  return { kty, crv, x, y } as JWK
}

type SigningKey = Parameters<FlattenedSign['sign']>[0]

async function sign(payload: unknown, header: Record<string, unknown> & { alg: string }, key: SigningKey) {
  const bytes = new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload))
  return JSON.stringify(await new FlattenedSign(bytes).setProtectedHeader(header).sign(key))
}
