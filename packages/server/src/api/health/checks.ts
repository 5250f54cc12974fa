import { statfs } from 'node:fs/promises'
import type { HealthCheck } from '@masthead/contract/schemas/operator.ts'
import { type AuthorityTrouble, findAuthorityTrouble } from '../../certificates/failing/authority-trouble.ts'
import { certificateLag } from '../../certificates/operator-view.ts'
import { isStorageBroken } from '../../database/database-errors.ts'
import { pingDatabase } from '../../database/database-health.ts'
import { domainCheckLag } from '../../domains/operator-views.ts'
import { minute, second } from '../../kernel/clock.ts'
import { formatDuration } from '../../kernel/english.ts'
import type { Counting } from '../../limits/limiter.ts'
import type { ApiParts } from '../handler.ts'

export type CheckResult = Omit<HealthCheck, 'name'>

export interface Check {
  run: (parts: HealthParts) => Promise<CheckResult>
  /** The message if the check itself fails or times out. */
  onFailure: string
}

export type HealthParts = Pick<ApiParts, 'context' | 'limiter' | 'lab'>

/** Timeout per check. */
export const deadline = 2 * second
/** Workers poll every second, so this is more than a busy moment. */
const tolerableLag = minute

const brokenDisk =
  'The disk of the database fails or is read-only. Sites are still served, but nothing can be changed.'

export const checks: Record<HealthCheck['name'], Check> = {
  database: {
    async run({ context }) {
      try {
        await pingDatabase(context.database)
        return { ok: true, message: 'The database is responding.' }
      } catch (error) {
        if (!isStorageBroken(error)) throw error
        return { ok: false, message: brokenDisk }
      }
    },
    onFailure:
      'The database is not responding. Sites in memory are still served, but nothing can be changed.',
  },
  limiter: {
    run: async ({ limiter }) => judgeCounting(limiter.counting()),
    onFailure: 'The rate limiter could not be checked.',
  },
  blobs: {
    async run({ context }) {
      await context.blobs.probe(AbortSignal.timeout(deadline))
      const { bavail, bsize } = await statfs(context.spoolFolder)
      return judgeSpace(bavail * bsize, context.limits.bytesPerDeployment)
    },
    onFailure: 'Files cannot be written. Sites are still served, but nothing can be published.',
  },
  domains: {
    run: async ({ context }) => judgeLag(await domainCheckLag(context), 'domain check'),
    onFailure: 'Domain checks could not be looked up.',
  },
  certificates: {
    run: async ({ context }) =>
      judgeCertificates(
        judgeLag(await certificateLag(context), 'certificate attempt'),
        await findAuthorityTrouble(context),
      ),
    onFailure: 'Certificate attempts could not be looked up.',
  },
  dns: {
    async run({ context, lab }) {
      const { rcode } = await context.dns.resolve(context.naming.platformDomain, 'A', {
        deadlineMs: deadline,
      })
      // NXDOMAIN is a response too.
      const ok = rcode === 'NOERROR' || rcode === 'NXDOMAIN'
      const whose = lab === null ? 'The DNS resolver' : 'The DNS resolver of this lab'
      return { ok, message: ok ? `${whose} is responding.` : `${whose} failed with ${rcode}.` }
    },
    onFailure: 'The DNS resolver is not responding. Domains cannot be checked.',
  },
}

export function judgeCounting(counting: Counting): CheckResult {
  if (counting.by === 'process') return { ok: true, message: 'Requests are counted in this process.' }
  const { up, nodes } = counting
  if (!up)
    return { ok: false, message: 'Redis is not responding. Each process allows its share of the limits.' }
  const who = nodes === 1 ? 'one process counts' : `${nodes} processes count`
  return { ok: true, message: `Redis is responding; ${who} requests there.` }
}

export function judgeLag(lag: number, what: string): CheckResult {
  if (lag < tolerableLag) return { ok: true, message: `Every ${what} is on time.` }
  const late = formatDuration(Math.floor(lag / second))
  return { ok: false, message: `The oldest ${what} is ${late} late. Is a worker running?` }
}

/** Attempts that fail are on time too. */
function judgeCertificates(lag: CheckResult, trouble: AuthorityTrouble | null): CheckResult {
  if (trouble === null) return lag
  const { problem, fix, isSerious } = trouble
  const said = `${problem} ${fix}`
  if (lag.ok) return { ok: !isSerious, message: said }
  return { ok: false, message: `${lag.message} ${said}` }
}

export function judgeSpace(free: number, largestDeployment: number): CheckResult {
  const left = `${formatSize(free)} of disk space left`
  if (free >= largestDeployment) return { ok: true, message: `Files can be written. ${left}.` }
  return { ok: false, message: `Only ${left}, less than one deployment may need.` }
}

function formatSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${Math.floor(bytes / 1000 ** power)} ${units[power]}`
}
