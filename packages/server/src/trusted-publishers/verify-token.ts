import { type TokenFault, trustLimits } from '@masthead/contract/trust/trusted-publishers.ts'
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { hour, second } from '../kernel/clock.ts'
import { hashSecret } from '../kernel/tokens.ts'
import { shown } from './publisher.ts'

/** Why a token is refused; the message is for users, and says nothing that the sender does not know. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly fault: TokenFault

  constructor(fault: TokenFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

/** Asymmetric ones: a secret shared with the issuer, or no signature, proves nothing. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** ID tokens, and access tokens of RFC 9068. */
const types = ['jwt', 'at+jwt', 'application/at+jwt']
/** Clocks differ a little. */
const tolerance = 10 * second

/** Who issued a token, as it says itself: nothing is verified yet. */
export function readIssuer(token: string): string {
  const { header, payload } = decode(token)
  if (typeof header.alg !== 'string' || !algorithms.includes(header.alg)) {
    const alg = header.alg === undefined ? 'no algorithm' : `the algorithm ${shown(header.alg)}`
    throw new TokenError(
      'algorithm',
      `The token has ${alg}, which is not accepted. Use one of ${algorithms.join(', ')}.`,
    )
  }
  const { typ = 'JWT' } = header
  if (typeof typ !== 'string' || !types.includes(typ.toLowerCase())) {
    throw new TokenError('malformed', `The token has the type ${shown(typ)}. Send an ID token.`)
  }
  if (typeof payload.iss !== 'string')
    throw new TokenError('malformed', 'The token does not name its issuer.')
  return payload.iss
}

function decode(token: string) {
  try {
    return { header: decodeProtectedHeader(token), payload: decodeJwt(token) }
  } catch (error) {
    throw new TokenError('malformed', 'This is not a JSON Web Token.', { cause: error })
  }
}

export interface ExpectedToken {
  issuer: string
  audience: string
  now: number
}

export interface VerifiedToken {
  payload: JWTPayload
  /** Of this token alone. */
  id: string
  /** Afterwards it is refused anyway. A whole number, although tokens may have fractions of a second. */
  expiresAt: number
}

export async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience, now }: ExpectedToken,
): Promise<VerifiedToken> {
  const options = {
    issuer,
    // People write the address of a server with a slash at the end too.
    audience: [audience, `${audience}/`],
    algorithms,
    currentDate: new Date(now),
    clockTolerance: tolerance / second,
  }
  const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
    throw describe(error, { audience, token })
  })
  const { exp, iat, jti } = payload
  if (exp === undefined || iat === undefined) {
    throw new TokenError('lifetime', 'The token does not say when it was issued and when it expires.')
  }
  if (iat * second > now + tolerance)
    throw new TokenError('not_yet_valid', 'The token was issued in the future.')
  if ((exp - iat) * second > trustLimits.tokenHours * hour) {
    throw new TokenError('lifetime', `The token lives longer than ${trustLimits.tokenHours} hours.`)
  }
  // Not of the signature, which can be written in several ways.
  const own = typeof jti === 'string' && jti !== '' ? `jti ${jti}` : token.slice(0, token.lastIndexOf('.'))
  return { payload, id: hashSecret(`${issuer}\n${own}`), expiresAt: Math.ceil(exp) * second + tolerance }
}

/** Whether another key of the issuer may verify the token. */
export function isUnknownKey(error: unknown): boolean {
  return error instanceof TokenError && error.fault === 'key'
}

function describe(error: unknown, { audience, token }: { audience: string; token: string }): Error {
  const refuse = (fault: TokenFault, message: string) => new TokenError(fault, message, { cause: error })
  if (error instanceof errors.JWTExpired)
    return refuse('expired', 'The token has expired. Request a new one.')
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refuse('signature', 'The signature of the token is wrong.')
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    const { kid } = decodeProtectedHeader(token)
    return refuse(
      'key',
      kid === undefined ? 'The token does not name its key.' : `The issuer has no key ${shown(kid)}.`,
    )
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, payload, reason } = error
    if (claim === 'aud')
      return refuse('audience', `The token is for ${shown(payload.aud)}. Request one for ${audience}.`)
    if (claim === 'nbf' && reason === 'check_failed')
      return refuse('not_yet_valid', 'The token is not valid yet.')
    return refuse('malformed', `The claim ${shown(claim)} of the token is invalid.`)
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return refuse('algorithm', 'The algorithm is not accepted.')
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) {
    return refuse('malformed', 'The token cannot be verified with the keys of its issuer.')
  }
  return error as Error
}
