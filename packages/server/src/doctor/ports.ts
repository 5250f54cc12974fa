import { once } from 'node:events'
import { createServer } from 'node:net'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { type ReachabilityToken, withReachabilityToken } from '../certificates/jobs/reachability-token.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../database/database.ts'
import { challengePath } from '../kernel/challenge-path.ts'
import { formatList } from '../kernel/english.ts'
import { allOk, ok, problem, skipped, warning } from './check.ts'
import { type EdgeAddress, type Expected, formatAddress, type Reached, reachEdge } from './reach-edge.ts'
import { localAddresses } from './settings.ts'

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
    const findings = await Promise.all(
      states.map(async ({ listener, state }) => {
        const at = { ...listener, address: loopbackOf(host) }
        const reached = await (state === 'in_use' && expected !== null
          ? reachEdge(at, expected, config.dashboardHost, signal)
          : null)
        return judgeListener(listener, state, reached ?? (context === null ? 'no_server' : 'unknown'))
      }),
    )
    const shown = formatList(states.map(({ listener }) => formatAddress(listener)))
    const isRunning = states.every(({ state }) => state === 'in_use')
    return allOk(findings, isRunning ? `This server answers at ${shown}.` : `${shown} are free.`)
  }
  if (states.every(({ state }) => state !== 'in_use') || context === null) return judge(null)
  if (!roles.has('edge')) return judge(apiAnswer)
  return withReachabilityToken(context, (token) => judge(challengeAnswer(token))).catch(() => judge(null))
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
export function judgeListener(
  listener: EdgeAddress,
  state: PortState,
  reached: Reached | 'no_server' | 'unknown',
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
      return judgeTaken(listener, reached, `Stop it, or change ${variable}.`)
  }
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
    `A program listens at ${at} and does not answer (${reached.why}).`,
    `${fix} If it is this server, ${listener.protocol === 'http' ? 'restart it' : "it may have no certificate for the dashboard's host yet"}.`,
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
  const findings = await withReachabilityToken(context, (token) =>
    Promise.all(
      addresses.map(async (at) => {
        const reached = await reachEdge(at, challengeAnswer(token), config.dashboardHost, signal)
        return judgeEdge(at, reached, { isHere: here.includes(at.address), isRunning })
      }),
    ),
  )
  const shown = formatList(addresses.map(({ protocol, ...at }) => `${protocol}://${formatAddress(at)}`))
  return allOk(findings, `This installation answers at ${shown}.`)
}

export function judgeEdge(
  at: EdgeAddress,
  reached: Reached,
  { isHere, isRunning }: { isHere: boolean; isRunning: boolean },
): DoctorFinding {
  const where = `${at.protocol}://${formatAddress(at)}`
  if (reached.kind === 'ours') return ok(`This installation answers at ${where}.`)
  if (reached.kind === 'other') {
    return problem(
      `Something else answers at ${where} (${reached.why}).`,
      at.protocol === 'http'
        ? 'Route the address to this installation, or correct MASTHEAD_EDGE_ADDRESSES.'
        : "Route the address to this installation, or correct MASTHEAD_EDGE_ADDRESSES. If it is this installation, see why the dashboard's host has no certificate yet.",
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
