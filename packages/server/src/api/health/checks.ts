import { statfs } from 'node:fs/promises'
import type { HealthCheck } from '@masthead/contract/schemas/operator.ts'
import { certificateLag } from '../../certificates/operator-view.ts'
import { pingDatabase } from '../../database/database-health.ts'
import { domainCheckLag } from '../../domains/operator-views.ts'
import { minute, second } from '../../kernel/clock.ts'
import { formatDuration } from '../../kernel/english.ts'
import type { Counting } from '../../limits/limiter.ts'
import type { ApiParts } from '../handler.ts'

export type CheckResult = Omit<HealthCheck, 'name'>

export interface Check {
  look: (parts: HealthParts) => Promise<CheckResult>
  /** What to say when looking itself fails or takes too long. */
  otherwise: string
}

export type HealthParts = Pick<ApiParts, 'context' | 'limiter' | 'lab'>

/** What a check may take. */
export const deadline = 2 * second
/** Work is looked for every second, so this much is more than a busy moment. */
const tolerableLag = minute

export const checks: Record<HealthCheck['name'], Check> = {
  database: {
    async look({ context }) {
      await pingDatabase(context.database)
      return { ok: true, message: 'The database answers.' }
    },
    otherwise: 'The database does not answer. Warm sites are served on; nothing can be changed.',
  },
  limiter: {
    look: async ({ limiter }) => judgeCounting(limiter.counting()),
    otherwise: 'Nobody knows how requests are counted.',
  },
  blobs: {
    async look({ context }) {
      await (await context.blobs.stage([Buffer.from('ok')], 2)).discard()
      const { bavail, bsize } = await statfs(context.spoolFolder)
      return judgeSpace(bavail * bsize, context.limits.bytesPerDeployment)
    },
    otherwise: 'Files cannot be written. Sites are served on; nothing can be published.',
  },
  domains: {
    look: async ({ context }) => judgeLag(await domainCheckLag(context), 'domain check'),
    otherwise: 'Whether domain checks are in time cannot be told.',
  },
  certificates: {
    look: async ({ context }) => judgeLag(await certificateLag(context), 'certificate attempt'),
    otherwise: 'Whether certificates are got in time cannot be told.',
  },
  dns: {
    async look({ context, lab }) {
      const { rcode } = await context.dns.resolve(context.naming.platformDomain, 'A', {
        deadlineMs: deadline,
      })
      // That there is no such name is an answer too.
      const ok = rcode === 'NOERROR' || rcode === 'NXDOMAIN'
      const whose = lab === null ? 'The DNS resolver' : 'The DNS resolver of this lab'
      return { ok, message: ok ? `${whose} answers.` : `${whose} fails: it said ${rcode}.` }
    },
    otherwise: 'The DNS resolver does not answer. Domains cannot be checked.',
  },
}

export function judgeCounting(counting: Counting): CheckResult {
  if (counting.by === 'process') return { ok: true, message: 'Requests are counted in this process.' }
  const { up, nodes } = counting
  if (!up)
    return { ok: false, message: 'Redis does not answer. Each process gives out its share of the limits.' }
  const who = nodes === 1 ? 'one process counts' : `${nodes} processes count`
  return { ok: true, message: `Redis answers; ${who} requests there.` }
}

export function judgeLag(lag: number, what: string): CheckResult {
  if (lag < tolerableLag) return { ok: true, message: `Every ${what} is in time.` }
  const late = formatDuration(Math.floor(lag / second))
  return { ok: false, message: `The oldest ${what} is ${late} late. Is a worker running?` }
}

export function judgeSpace(free: number, largestDeployment: number): CheckResult {
  const left = `${sizeInWords(free)} of disk space are left`
  if (free >= largestDeployment) return { ok: true, message: `Files can be written; ${left}.` }
  return { ok: false, message: `Only ${left}, less than one deployment may need.` }
}

function sizeInWords(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${Math.floor(bytes / 1000 ** power)} ${units[power]}`
}
