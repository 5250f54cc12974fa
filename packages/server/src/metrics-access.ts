import { sameSecret } from './secrets.ts'

/** Whether the Authorization header of a request opens the metrics: they tell strangers how busy a server is, and of what. */
export type MayReadMetrics = (authorization: string | undefined) => boolean

/** The operator key opens them, and so does a token that opens nothing else, for whatever collects them. */
export function metricsAccess(operatorKey: string, token: string | null): MayReadMetrics {
  const secrets = token === null ? [operatorKey] : [operatorKey, token]
  return (authorization) => {
    const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && secrets.some((secret) => sameSecret(given, secret))
  }
}
