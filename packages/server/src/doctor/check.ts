import {
  type DoctorFinding,
  type DoctorReport,
  type DoctorResult,
  doctorStatuses,
} from '@masthead/contract/schemas/operator.ts'
import { isoTime, second } from '../kernel/clock.ts'
import { errorMessage, printableText } from '../kernel/escape-text.ts'
import { TimeoutError, withTimeout } from '../kernel/with-timeout.ts'

/** Asks about one thing that breaks installations. `signal` ends it when its time is up. */
export interface DoctorCheck<Parts> {
  id: string
  title: string
  run(parts: Parts, signal: AbortSignal): Promise<DoctorFinding | DoctorFinding[]>
}

const deadline = 5 * second
const longest = 1_000

export function ok(message: string): DoctorFinding {
  return { status: 'ok', message, fix: null }
}

/** One sentence for several things that are all fine; the findings themselves otherwise. */
export function allOk(findings: DoctorFinding[], summary: string): DoctorFinding[] {
  return findings.every(({ status }) => status === 'ok') ? [ok(summary)] : findings
}

export function skipped(message: string): DoctorFinding {
  return { status: 'skipped', message, fix: null }
}

export function warning(message: string, fix: string): DoctorFinding {
  return { status: 'warning', message, fix }
}

export function problem(message: string, fix: string): DoctorFinding {
  return { status: 'problem', message, fix }
}

export interface DoctorOptions {
  /** Their values are replaced wherever they appear. */
  secrets?: readonly string[]
  deadlineMs?: number
}

/** Runs all checks at once. One that fails or hangs is reported like any other finding. */
export async function runDoctor<Parts>(
  checks: readonly DoctorCheck<Parts>[],
  parts: Parts,
  { secrets = [], deadlineMs = deadline }: DoctorOptions = {},
): Promise<DoctorReport> {
  const hide = secretHider(secrets)
  const results = await Promise.all(
    checks.map(async (check) => {
      const findings = (await runCheck(check, parts, deadlineMs)).map(({ status, message, fix }) => ({
        status,
        message: hide(message),
        fix: fix === null ? null : hide(fix),
      }))
      return summarize(check, findings)
    }),
  )
  return { checkedAt: isoTime(Date.now()), checks: results }
}

async function runCheck<Parts>(
  { run }: DoctorCheck<Parts>,
  parts: Parts,
  deadlineMs: number,
): Promise<DoctorFinding[]> {
  const stop = new AbortController()
  try {
    const started = Promise.try(run, parts, stop.signal)
    return [await withTimeout(started, deadlineMs)].flat()
  } catch (error) {
    if (error instanceof TimeoutError)
      return [problem(`No answer within ${deadlineMs / second} seconds.`, 'Check the network and try again.')]
    return [problem(`The check failed: ${describeError(error)}.`, 'Fix the cause and try again.')]
  } finally {
    stop.abort()
  }
}

/** The worst findings first. What is fine is only said if nothing is wrong. */
export function summarize(
  { id, title }: Pick<DoctorCheck<never>, 'id' | 'title'>,
  findings: readonly DoctorFinding[],
): DoctorResult {
  const rank = ({ status }: DoctorFinding) => doctorStatuses.indexOf(status)
  const sorted = findings.toSorted((a, b) => rank(a) - rank(b))
  const faults = sorted.filter(({ status }) => status === 'problem' || status === 'warning')
  const shown = faults.length > 0 ? faults : sorted
  return { id, title, status: shown[0]?.status ?? 'ok', findings: shown }
}

/** An error of a library or of another server, in a few safe words. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0])
  const { code = '', cause } = error as NodeJS.ErrnoException
  const message = error instanceof Error ? errorMessage(error) : ''
  if (message === 'fetch failed' && cause !== undefined) return describeError(cause)
  return printableText((message || code || String(error)).replace(/[.\s]+$/, ''), 200)
}

function secretHider(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)])
  const long = [...new Set(spellings)].filter(({ length }) => length >= 4)
  const longFirst = long.sort((a, b) => b.length - a.length)
  return (text) =>
    longFirst.reduce((shown, secret) => shown.replaceAll(secret, '(hidden)'), text).slice(0, longest)
}
