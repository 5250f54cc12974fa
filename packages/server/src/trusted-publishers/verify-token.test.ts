import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { TokenFault } from '@masthead/contract/trust/trusted-publishers.ts'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTVerifyGetKey, SignJWT } from 'jose'
import { hour, minute, second } from '../kernel/clock.ts'
import { readIssuer, TokenError, verifyToken } from './verify-token.ts'

const issuer = 'https://issuer.example'
const audience = 'https://masthead.example'
const now = Date.UTC(2030, 0, 1)
const seconds = now / second

let keys: JWTVerifyGetKey
let publicKey: Awaited<ReturnType<typeof generateKeyPair>>['publicKey']
const own: Record<string, Awaited<ReturnType<typeof generateKeyPair>>['privateKey']> = {}

before(async () => {
  const list = []
  for (const alg of ['RS256', 'ES256', 'EdDSA']) {
    const pair = await generateKeyPair(alg, { extractable: true })
    own[alg] = pair.privateKey
    if (alg === 'RS256') publicKey = pair.publicKey
    list.push({ ...(await exportJWK(pair.publicKey)), kid: alg, alg, use: 'sig' })
  }
  keys = createLocalJWKSet({ keys: list })
})

interface Parts {
  header?: object
  claims?: object
  alg?: string
  key?: CryptoKey
}

const usual = {
  iss: issuer,
  aud: audience,
  sub: 'repo:acme/site',
  jti: 'one',
  iat: seconds,
  exp: seconds + 300,
}

function sign({ header = {}, claims = {}, alg = 'RS256', key }: Parts = {}): Promise<string> {
  const payload = Object.fromEntries(
    Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
  )
  return new SignJWT(payload)
    .setProtectedHeader({ alg, kid: alg, ...header })
    .sign(key ?? (own[alg] as CryptoKey))
}

async function check(token: string) {
  const named = readIssuer(token)
  assert.equal(named, issuer)
  return verifyToken(token, keys, { issuer, audience, now })
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function refusedAs(fault: TokenFault) {
  return (error: unknown) => {
    assert.ok(error instanceof TokenError, String(error))
    assert.equal(error.fault, fault, error.message)
    return true
  }
}

describe('a token is accepted', () => {
  for (const alg of ['RS256', 'ES256', 'EdDSA']) {
    test(`with ${alg}`, async () => {
      const { payload, expiresAt } = await check(await sign({ alg }))
      assert.equal(payload.sub, usual.sub)
      assert.equal(expiresAt, (seconds + 310) * second)
    })
  }
  test('whose times have fractions of a second', async () => {
    const { expiresAt } = await check(
      await sign({ claims: { iat: seconds - 0.5, exp: seconds + 299.123456 } }),
    )
    assert.equal(expiresAt, (seconds + 310) * second)
  })
  test('whose audience has a slash at the end', async () => {
    await check(await sign({ claims: { aud: `${audience}/` } }))
  })

  test('whose audience is a list that names us', async () => {
    await check(await sign({ claims: { aud: ['https://other.example', audience] } }))
  })
  test('whatever the case of its type', async () => {
    for (const typ of ['JWT', 'jwt', 'at+jwt']) await check(await sign({ header: { typ } }))
  })
  test('with an identity that does not depend on how its signature is written', async () => {
    const first = await check(await sign({ alg: 'ES256', claims: { jti: undefined } }))
    const second = await check(await sign({ alg: 'ES256', claims: { jti: undefined } }))
    assert.equal(first.id, second.id)
    assert.notEqual(first.id, (await check(await sign({ alg: 'ES256' }))).id)
  })
})

describe('a token is refused', () => {
  test('if it is expired, or not valid yet', async () => {
    await assert.rejects(
      async () => check(await sign({ claims: { iat: seconds - 400, exp: seconds - 11 } })),
      refusedAs('expired'),
    )
    await assert.rejects(
      async () => check(await sign({ claims: { nbf: seconds + 60 } })),
      refusedAs('not_yet_valid'),
    )
    await assert.rejects(
      async () => check(await sign({ claims: { iat: seconds + 60, exp: seconds + 120 } })),
      refusedAs('not_yet_valid'),
    )
  })

  test('if it does not end, or lives too long', async () => {
    await assert.rejects(async () => check(await sign({ claims: { exp: undefined } })), refusedAs('lifetime'))
    await assert.rejects(async () => check(await sign({ claims: { iat: undefined } })), refusedAs('lifetime'))
    const exp = seconds + (25 * hour) / second
    await assert.rejects(async () => check(await sign({ claims: { exp } })), refusedAs('lifetime'))
  })

  test('in words, whatever its header has in place of text', () => {
    const unprintable = { toString: 1, valueOf: 1 }
    const nested = JSON.parse(`${'['.repeat(4_000)}${']'.repeat(4_000)}`)
    for (const value of [unprintable, [unprintable], nested]) {
      for (const header of [{ alg: value }, { alg: 'RS256', typ: value }]) {
        const token = `${part(header)}.${part(usual)}.x`
        assert.throws(
          () => readIssuer(token),
          (error: unknown) => error instanceof TokenError,
        )
      }
    }
  })

  test('if its times are not numbers', async () => {
    for (const claims of [{ exp: '9999999999' }, { nbf: 'now' }, { iat: {} }]) {
      await assert.rejects(async () => check(await sign({ claims })), refusedAs('malformed'))
    }
  })

  test('if it is for somebody else', async () => {
    const others = [
      'https://other.example',
      `${audience}//`,
      `${audience}/v1`,
      `${audience}.evil.example/`,
      audience.toUpperCase(),
      [],
      '',
      undefined,
      [[audience]],
    ]
    for (const aud of others) {
      await assert.rejects(async () => check(await sign({ claims: { aud } })), refusedAs('audience'))
    }
  })

  test('if another key signed it, whatever key it names', async () => {
    const { privateKey: key } = await generateKeyPair('RS256')
    await assert.rejects(async () => check(await sign({ key })), refusedAs('signature'))
    await assert.rejects(async () => check(await sign({ key, header: { kid: 'mine' } })), refusedAs('key'))
  })

  test('if it brings its own key along', async () => {
    const { privateKey: key, publicKey: mine } = await generateKeyPair('RS256', { extractable: true })
    const header = { jwk: await exportJWK(mine), jku: 'https://attacker.example/jwks' }
    await assert.rejects(async () => check(await sign({ key, header })), refusedAs('signature'))
  })

  test('if it does not name one of several keys of its kind', async () => {
    const { publicKey: second } = await generateKeyPair('RS256', { extractable: true })
    const two = createLocalJWKSet({ keys: [await exportJWK(publicKey), await exportJWK(second)] })
    const token = await sign({ header: { kid: undefined } })
    await assert.rejects(() => verifyToken(token, two, { issuer, audience, now }), refusedAs('key'))
  })

  test('if it is not signed, or its algorithm was swapped', async () => {
    for (const alg of ['none', 'None', 'NONE', 'HS256', 'hs256', 'RS1', '', 7, null, undefined]) {
      const unsigned = `${part({ alg, kid: 'RS256' })}.${part(usual)}.`
      await assert.rejects(
        async () => check(unsigned),
        (error: unknown) => {
          assert.ok(error instanceof TokenError)
          assert.ok(['algorithm', 'malformed'].includes(error.fault), error.fault)
          return true
        },
      )
    }
    // The public key as a shared secret, which libraries have accepted.
    const input = `${part({ alg: 'HS256', kid: 'RS256' })}.${part(usual)}`
    const secret = JSON.stringify(await exportJWK(publicKey))
    const forged = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
    await assert.rejects(async () => check(forged), refusedAs('algorithm'))
    // A signature of one algorithm under the name of another.
    const [, payload, signature] = (await sign({ alg: 'RS256' })).split('.')
    for (const alg of ['PS256', 'RS512', 'ES256']) {
      const swapped = `${part({ alg, kid: alg === 'ES256' ? alg : 'RS256' })}.${payload}.${signature}`
      await assert.rejects(async () => check(swapped), TokenError)
    }
  })

  test('if it was changed after it was signed', async () => {
    const [header, , signature] = (await sign()).split('.')
    const changed = `${header}.${part({ ...usual, sub: 'repo:evil/site' })}.${signature}`
    await assert.rejects(async () => check(changed), refusedAs('signature'))
  })

  test('if it asks for what we do not know, or is something else', async () => {
    const critical = new SignJWT(usual).setProtectedHeader({ alg: 'RS256', kid: 'RS256', crit: ['x'], x: 1 })
    const token = await critical.sign(own.RS256 as CryptoKey, { crit: { x: true } })
    await assert.rejects(async () => check(token), refusedAs('malformed'))
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', 5]) {
      const [, payload, signature] = (await sign()).split('.')
      const token = `${part({ alg: 'RS256', kid: 'RS256', typ })}.${payload}.${signature}`
      await assert.rejects(async () => check(token), refusedAs('malformed'))
    }
  })

  test('if it is no token', async () => {
    const valid = await sign()
    const wrong = [
      '',
      '.',
      '..',
      'a.b.c',
      `${valid}.x`,
      valid.slice(0, 40),
      `${part([])}.${part([])}.x`,
      'é.ü.ß',
    ]
    for (const text of [...wrong, part({ alg: 'RS256' }), `${part({ alg: 'RS256' })}.${part(null)}.x`]) {
      await assert.rejects(async () => check(text), refusedAs('malformed'), text)
    }
  })

  test('if it does not name its issuer as a text', async () => {
    for (const iss of [undefined, 5, [issuer], null]) {
      await assert.rejects(async () => check(await sign({ claims: { iss } })), refusedAs('malformed'))
    }
  })

  test('with a reason that does not repeat control characters or pages of text', async () => {
    const aud = `https://evil.example/\u001b[2J${'x'.repeat(5_000)}`
    await assert.rejects(
      async () => check(await sign({ claims: { aud } })),
      ({ message }: Error) => message.length < 300 && !message.includes('\u001b'),
    )
  })
})

test('a token works until its last minute', async () => {
  await check(await sign({ claims: { iat: seconds - hour / second + minute / second, exp: seconds + 1 } }))
})
