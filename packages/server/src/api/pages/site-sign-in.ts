import { protectionLimits } from '@masthead/contract/project-settings.ts'
import type { ProtectRule } from '@masthead/contract/site-rules/rules.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readRules } from '../../deployments/manifest-document.ts'
import { Problem } from '../../kernel/problem.ts'
import { findHashes } from '../../protection/find-hashes.ts'
import {
  localTarget,
  newTicket,
  ownPaths,
  passLifetime,
  type SignInRequest,
} from '../../protection/passes.ts'
import { PasswordTries } from '../../protection/password-tries.ts'
import { credentialId, credentialsOf, normalizeUser } from '../../protection/protection.ts'
import type { ApiParts } from '../handler.ts'

/** A password, a user name and an earlier pass fit. */
const maxBytes = 1_024

/** Deployments whose passwords are in memory. */
const maxKept = 200

/**
 * Checks the passwords that visitors of protected sites enter, and sends them back to the site with a ticket. It is on
 * the dashboard's host because that is where addresses are counted and slow work waits its turn; sites only look at
 * signatures.
 */
export async function serveSiteSignIn(app: FastifyInstance, parts: ApiParts): Promise<void> {
  const { context, passes, addresses, config, limiter } = parts
  const tries = new PasswordTries(context)
  /** By deployment, which never changes. */
  const kept = new Map<string, readonly ProtectRule[]>()
  await app.register(async (scope) => {
    const options = { parseAs: 'string', bodyLimit: maxBytes } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) =>
      done(null, new URLSearchParams(String(body))),
    )
    scope.post('/site-sign-in', { bodyLimit: maxBytes }, signIn)
  })

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    const query = request.query as Record<string, unknown>
    const asked = typeof query.request === 'string' ? passes.open('request', query.request) : null
    if (asked === null) throw new Problem('invalid_request', 'This form was not made by a protected site.')
    const to = localTarget(typeof query.to === 'string' ? query.to : null)
    const origin = originOf(request, asked)
    const back = (path: string, values: Record<string, string>) =>
      reply.redirect(`${origin}${path}?${new URLSearchParams({ to, ...values }).toString()}`, 303)

    const verdict = await limiter.checkAddress(request.ip)
    if (!verdict.admitted) return back(ownPaths.signIn, { wait: String(verdict.retryAfterSeconds ?? 1) })
    const { user, password, known } = readForm(request.body)
    const hashes = await hashesFor(asked, user)
    if (hashes === null) return reply.redirect(origin + to, 303)
    const earlier = known === null ? null : passes.open('pass', known)
    const visitor =
      earlier?.host === asked.host && earlier.projectId === asked.projectId ? earlier.visitor : null
    const result = await tries.check({
      ...{ projectId: asked.projectId, address: request.ip, visitor },
      ...{ user: asked.asksForUser ? user : '', password, hashes },
    })
    if (result.kind === 'wait') return back(ownPaths.signIn, { wait: String(result.seconds) })
    if (result.kind !== 'right') return back(ownPaths.signIn, { trouble: result.kind })
    const when = { now: context.now(), lifetime: passLifetime.password, visitor }
    const ticket = newTicket(asked, result.hashes.map(credentialId), when)
    return back(ownPaths.enter, { ticket: passes.sign('ticket', ticket) })
  }

  /** The passwords, hashed, that would let this visitor in; null if the site needs none any more. */
  async function hashesFor(asked: SignInRequest, user: string): Promise<readonly string[] | null> {
    const { deploymentId, asksForUser } = asked
    const own = asksForUser ? [] : await findHashes(context, asked)
    if (deploymentId === null) return own
    const rules = kept.get(deploymentId) ?? (await readRules(context.blobs, deploymentId))?.protect ?? []
    if (kept.size >= maxKept) kept.clear()
    kept.set(deploymentId, rules)
    const wanted = asksForUser ? user : null
    const right = rules.flatMap(({ credentials }) => credentialsOf(credentials, wanted))
    return own === null && right.length === 0
      ? null
      : [...new Set([...(own ?? []), ...right.map(({ hash }) => hash)])]
  }

  /** Where the visitor comes from, which must be the site that asked. */
  function originOf(request: FastifyRequest, { host }: SignInRequest): string {
    const { origin = 'null' } = request.headers
    const from = URL.parse(origin)
    const isSite = from !== null && /^https?:$/.test(from.protocol) && from.hostname === host
    if (!isSite) throw new Problem('origin_refused', `This form comes from ${origin}, not from ${host}.`)
    return config.httpsRedirect ? addresses.secure(host) : from.origin
  }
}

function readForm(body: unknown): { user: string; password: string; known: string | null } {
  if (!(body instanceof URLSearchParams)) {
    throw new Problem('unsupported_media_type', 'Send the form as application/x-www-form-urlencoded.')
  }
  const password = body.get('password') ?? ''
  const user = normalizeUser(body.get('user') ?? '')
  const { passwordBytes, userBytes } = protectionLimits
  const isTooLong = (text: string, bytes: number) => Buffer.byteLength(text) > bytes
  // Too long to be right, and too long to be worth the work of finding out.
  return {
    user: isTooLong(user, userBytes) ? '' : user,
    password: isTooLong(password, passwordBytes) ? '' : password,
    known: body.get('known'),
  }
}
