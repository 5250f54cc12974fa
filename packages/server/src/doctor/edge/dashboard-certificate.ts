import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { findCertificateStates } from '../../certificates/certificate-state.ts'
import { operatorFix } from '../../certificates/failing/explain-failure.ts'
import type { CertificateError } from '../../certificates/jobs/backoff.ts'
import type { Context } from '../../database/database.ts'
import { problem, warning } from '../check.ts'

/** The certificate that the checks of ports ask the edge for. */
export interface DashboardCertificate {
  host: string
  isValid: boolean
  lastError: CertificateError | null
}

export async function findDashboardCertificate(
  { database, now }: Context,
  host: string,
): Promise<DashboardCertificate> {
  const state = (await findCertificateStates(database.read, [host], now())).get(host)
  return { host, isValid: state?.status === 'valid', lastError: state?.lastError ?? null }
}

/** Our server answers at this address, but its handshake does not succeed. */
export function judgeMissing(
  where: string,
  { host, isValid, lastError }: DashboardCertificate,
): DoctorFinding {
  if (isValid) {
    const message = `This server answers at ${where}, but without its certificate for ${host}.`
    return problem(message, 'Restart it, and see that no proxy answers in its place.')
  }
  const message = `This server answers at ${where}, but has no certificate for ${host} yet.`
  if (lastError === null) return warning(message, 'The first visit orders it. Try again in a minute.')
  return problem(`${message} ${lastError.message}`, operatorFix(host, lastError))
}
