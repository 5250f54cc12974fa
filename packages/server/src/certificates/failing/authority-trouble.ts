import type { Context } from '../../database/database.ts'
import { type CertificateError, causeOf } from '../jobs/backoff.ts'
import { explainFailure, type FailureAdvice, isCertain } from './explain-failure.ts'
import { countFailing, type FailingCount, findFailing } from './failing-store.ts'

/** Certificates that fail for a reason that is not their names'. */
export interface AuthorityTrouble extends FailureAdvice {
  /** Whether renewals fail, or the CA refuses our account. Other names may just have come at a bad moment. */
  isSerious: boolean
}

/** Null if there is none. */
export async function findAuthorityTrouble({
  database,
}: Pick<Context, 'database'>): Promise<AuthorityTrouble | null> {
  const counts = (await countFailing(database.read)).flatMap(certainPart)
  const serious = counts.filter(isSerious)
  const shown = serious.length > 0 ? serious : counts
  const [most] = shown.toSorted((one, other) => other.names - one.names)
  if (most === undefined) return null
  const job = await findFailing(database.read, most)
  if (job?.last_error == null) return null
  const error: CertificateError = JSON.parse(job.last_error)
  const names = shown.reduce((sum, one) => sum + one.names, 0)
  const { problem, fix } = explainFailure(error.kind, error.authority)
  const what = shown.every(({ reason }) => reason === 'renewal') ? 'be renewed' : 'get a certificate'
  const who =
    names === 1 ? `${job.name} cannot ${what}` : `${names} names cannot ${what}, such as ${job.name}`
  return {
    isSerious: serious.length > 0,
    problem: `${problem} ${who}. ${error.message}`,
    fix,
  }
}

function certainPart({ kind, reason, names, repeated }: FailingCount): FailingCount[] {
  const cause = causeOf(kind)
  if (cause !== 'authority' && cause !== 'server') return []
  const certain = isCertain(kind, 1) ? names : repeated
  return certain === 0 ? [] : [{ kind, reason, names: certain, repeated }]
}

function isSerious({ kind, reason }: FailingCount): boolean {
  return reason === 'renewal' || kind === 'account_refused'
}
