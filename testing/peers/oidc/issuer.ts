import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface TokenRequest {
  audience: string
  claims: Record<string, string>
}

/**
 * An OpenID Connect issuer for pipelines: discovery, keys and signed tokens of `oidc-provider`, with the claims that a
 * test asks for. `/actions/token` hands out tokens as the runners of GitHub and Forgejo do.
 */
export async function startOidcIssuer() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const client = { id: 'runner', secret: randomUUID() }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    ttl: { ClientCredentials: 300 },
    cookies: { keys: [randomUUID()] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' }] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => ({
          audience,
          scope: '',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (context: { get(header: string): string }) =>
      JSON.parse(context.get('x-claims')) as object,
  })
  const answer = provider.callback()
  /** What the runner of the current job would put into its token. */
  let jobClaims: Record<string, string> = {}
  const requestToken = randomUUID()
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const url = new URL(req.url ?? '', issuer)
    if (url.pathname !== '/actions/token') return void answer(req, res)
    if (req.headers.authorization !== `Bearer ${requestToken}`) return void res.writeHead(401).end()
    const audience = url.searchParams.get('audience') ?? 'https://github.com/acme'
    newToken({ audience, claims: jobClaims }).then(
      (value) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ value })),
      () => res.writeHead(500).end(),
    )
  })

  async function newToken({ audience, claims }: TokenRequest): Promise<string> {
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}`,
        'x-claims': JSON.stringify(claims),
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    })
    const { access_token } = (await response.json()) as { access_token?: string }
    if (access_token === undefined) throw new Error(`The issuer gave no token: ${response.status}`)
    return access_token
  }

  return {
    issuer,
    newToken,
    /** The variables that the runner of a job with these claims sets. */
    startJob(claims: Record<string, string>) {
      jobClaims = claims
      return {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer}/actions/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
