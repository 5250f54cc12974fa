import { once } from 'node:events'
import { createServer } from 'node:net'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { type ReachabilityToken, withReachabilityToken } from '../../certificates/jobs/reachability-token.ts'
import type { Config } from '../../config/config.ts'
import type { Context } from '../../database/database.ts'
import { challengePath } from '../../kernel/challenge-path.ts'
import { formatList } from '../../kernel/english.ts'
import { allOk, ok, problem, skipped, warning } from '../check.ts'
import { localAddresses } from '../settings.ts'
import { type DashboardCertificate, findDashboardCertificate, judgeMissing } from './dashboard-certificate.ts'
import { type EdgeAddress, type Expected, formatAddress, type Reached, reachEdge } from './reach-edge.ts'

export type PortConfig = Pick<
  Config,
  'host' | 'httpPort' | 'httpsPort' | 'publicHttpsPort' | 'edgeAddresses' | 'dashboardHost' | 'roles'
>

export type PortState = 'free' | 'in_use' | 'forbidden' | 'not_here'

/** Tries to listen, for a moment. */
export async function tryPort(host: string, port: number): Promise<PortState> {
  const server = createServer()
  try {
    server.listen({ host, port, exclusive: true })
    await once(server, 'listening')
    return 'free'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return 'in_use'
    if (code === 'EACCES' || code === 'EPERM') return 'forbidden'
    if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') return 'not_here'
    throw error
  } finally {
    // Only then is the port as it was.
    await new Promise((resolve) => server.close(resolve))
  }
}

export interface ListenerState {
  listener: EdgeAddress
  state: PortState
}

/** For one run only once: two tries at the same time would find each other. */
export function tryListeners({ host, httpPort, httpsPort, roles }: PortConfig): Promise<ListenerState[]> {
  const listeners: EdgeAddress[] = [{ protocol: 'http', address: host, port: httpPort }]
  if (roles.has('edge')) listeners.push({ protocol: 'https', address: host, port: httpsPort })
  return Promise.all(
    listeners.map(async (listener) => ({ listener, state: await tryPort(host, listener.port) })),
  )
}

/** Whether this machine can listen, or already does. */
export async function checkListeners(
  config: PortConfig,
  context: Context | null,
  states: readonly ListenerState[],
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const { host, roles } = config
  const judge = async (expected: Expected | null) => {
    const reached = await Promise.all(
      states.map(async ({ listener, state }) => {
        const at = { ...listener, address: loopbackOf(host) }
        return state === 'in_use' && expected !== null
          ? reachEdge(at, expected, config.dashboardHost, signal)
          : null
      }),
    )
    const isOurs = reached.some((one, index) => isOursByHttp(states[index]?.listener, one))
    const ours =
      isOurs && context !== null ? await findDashboardCertificate(context, config.dashboardHost) : null
    const findings = states.map(({ listener, state }, index) =>
      judgeListener(listener, state, reached[index] ?? (context === null ? 'no_server' : 'unknown'), ours),
    )
    const shown = formatList(states.map(({ listener }) => formatAddress(listener)))
    const isRunning = states.every(({ state }) => state === 'in_use')
    return allOk(findings, isRunning ? `This server answers at ${shown}.` : `${shown} are free.`)
  }
  if (states.every(({ state }) => state !== 'in_use') || context === null) return judge(null)
  if (!roles.has('edge')) return judge(apiAnswer)
  return withReachabilityToken(context, (token) => judge(challengeAnswer(token))).catch(() => judge(null))
}

/** A server with the role `edge` has both ports: the one for HTTP, which needs no certificate, tells whose they are. */
function isOursByHttp(at: EdgeAddress | undefined, reached: Reached | null): boolean {
  return at?.protocol === 'http' && reached?.kind === 'ours'
}

/** Only edges answer challenges. */
function challengeAnswer({ token, content }: ReachabilityToken): Expected {
  return { path: `${challengePath}${token}`, content }
}

const apiAnswer: Expected = { path: '/healthz', content: JSON.stringify({ status: 'ok' }) }

function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

const variables = { http: 'MASTHEAD_HTTP_PORT', https: 'MASTHEAD_HTTPS_PORT' }

/** `no_server`: it cannot be ours, which has never started. `unknown`: we have no means to tell. */
function judgeListener(
  listener: EdgeAddress,
  state: PortState,
  reached: Reached | 'no_server' | 'unknown',
  /** Of the server that answers by HTTP, if it is ours. */
  ours: DashboardCertificate | null,
): DoctorFinding {
  const at = formatAddress(listener)
  const variable = variables[listener.protocol]
  switch (state) {
    case 'free':
      return ok(`${at} is free.`)
    case 'forbidden':
      return problem(
        `Only root may listen on ${at}.`,
        `Give the service CAP_NET_BIND_SERVICE, as deploy/systemd/masthead.service does, or set ${variable} to 1024 or more.`,
      )
    case 'not_here':
      return problem(
        `${listener.address} is not an address of this machine.`,
        'Set MASTHEAD_HOST to one that is, or to 0.0.0.0 or :: for all of them.',
      )
    default:
      return ours !== null && typeof reached !== 'string'
        ? judgeOwn(listener, reached, ours)
        : judgeTaken(listener, reached, `Stop it, or change ${variable}.`)
  }
}

/** The server that answers by HTTP is ours, so nobody must be told to stop the one that does by HTTPS. */
function judgeOwn(listener: EdgeAddress, reached: Reached, ours: DashboardCertificate): DoctorFinding {
  const at = formatAddress(listener)
  if (reached.kind === 'ours') return ok(`This server answers at ${at}.`)
  if (lacksCertificate(reached, ours)) return judgeMissing(at, ours)
  return problem(
    `${at} does not answer as this server does (${reached.why}).`,
    `Restart the server, and see that nothing forwards the port. If it was started with another ${variables[listener.protocol]}, set the same one here.`,
  )
}

function lacksCertificate({ kind }: Reached, { isValid }: DashboardCertificate): boolean {
  return kind === 'no_certificate' || (kind === 'waits' && !isValid)
}

function judgeTaken(
  listener: EdgeAddress,
  reached: Reached | 'no_server' | 'unknown',
  fix: string,
): DoctorFinding {
  const at = formatAddress(listener)

  if (reached === 'no_server') return problem(`Another program listens at ${at}.`, fix)
  if (reached === 'unknown') return skipped(`${at} is in use. Without the database we cannot tell by whom.`)
  if (reached.kind === 'ours') return ok(`This server answers at ${at}.`)
  if (reached.kind === 'other') return problem(`Another program answers at ${at} (${reached.why}).`, fix)
  return problem(
    `A program listens at ${at}, and we cannot tell which (${reached.why}).`,
    `${fix} If it is this server, restart it.`,
  )
}

/** Whether visitors reach this installation at its public addresses. */
export async function checkEdge(
  config: PortConfig,
  context: Context | null,
  states: readonly ListenerState[],
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  if (context === null) return [skipped('Without a database we cannot tell.')]
  const addresses = config.edgeAddresses.flatMap((address): EdgeAddress[] => [
    { protocol: 'http', address, port: config.httpPort },
    { protocol: 'https', address, port: config.publicHttpsPort },
  ])
  const here = localAddresses()
  const isRunning = !config.roles.has('edge') || states.some(({ state }) => state === 'in_use')
  const reached = await withReachabilityToken(context, (token) =>
    Promise.all(
      addresses.map(async (at) => ({
        at,
        reached: await reachEdge(at, challengeAnswer(token), config.dashboardHost, signal),
      })),
    ),
  )
  const certificate = await findDashboardCertificate(context, config.dashboardHost)
  const findings = reached.map(({ at, reached: one }) => {
    const isOurs = reached.some(
      (other) => other.at.address === at.address && isOursByHttp(other.at, other.reached),
    )
    const isHere = here.includes(at.address)
    return judgeEdge(at, one, { isHere, isRunning, ours: isOurs ? certificate : null })
  })
  const shown = formatList(addresses.map(({ protocol, ...at }) => `${protocol}://${formatAddress(at)}`))
  return allOk(findings, `This installation answers at ${shown}.`)
}

export function judgeEdge(
  at: EdgeAddress,
  reached: Reached,
  { isHere, isRunning, ours }: { isHere: boolean; isRunning: boolean; ours: DashboardCertificate | null },
): DoctorFinding {
  const where = `${at.protocol}://${formatAddress(at)}`
  if (reached.kind === 'ours') return ok(`This installation answers at ${where}.`)
  if (ours !== null && lacksCertificate(reached, ours)) return judgeMissing(where, ours)
  if (reached.kind === 'other' || reached.kind === 'no_certificate') {
    return problem(
      `Something else answers at ${where} (${reached.why}).`,
      ours === null
        ? 'Route the address to this installation, or correct MASTHEAD_EDGE_ADDRESSES.'
        : 'By HTTP, this installation answers there. Route the port for HTTPS to it, too.',
    )
  }
  if (isHere && !isRunning) return skipped('The server is not running.')
  const message = `Nothing answers at ${where} (${reached.why}).`
  if (isHere)
    return problem(message, 'Open the port in the firewall, and check that the server listens there.')
  return warning(
    message,
    'Open the port in the firewall and forward it to the edge. If this network cannot reach its own public address, try from outside.',
  )
}
