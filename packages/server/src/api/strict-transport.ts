import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** A year, as browsers' lists ask for at least. */
const header = { 'Strict-Transport-Security': 'max-age=31536000' }
const none = {}

/**
 * Where plain HTTP leads to HTTPS anyway, browsers are told to come by HTTPS alone. Never on a laptop: a browser would
 * hold everything on localhost to it, whatever else runs there and on whichever port.
 */
export function strictTransport({
  httpsRedirect,
  dashboardHost,
}: Pick<Config, 'httpsRedirect' | 'dashboardHost'>): (
  request: Pick<FastifyRequest, 'protocol'>,
) => Record<string, string> {
  const isWanted = httpsRedirect && !/(^|\.)localhost$/.test(dashboardHost)
  return ({ protocol }) => (isWanted && protocol === 'https' ? header : none)
}
