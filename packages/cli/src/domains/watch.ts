import { sleep } from '@masthead/client/retry.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { clockTime } from '../terminal/format.ts'
import { displayRows } from '../terminal/layout.ts'
import type { Output } from '../terminal/output.ts'
import { domainLines } from './domain-lines.ts'
import { isSettled, pendingReason, statusTitle } from './status.ts'

const second = 1000
const afterTheirs = 500
const shortest = second
const longestWhileLate = 60 * second

/**
 * When to poll next: right after the server's next scheduled check. Before that, only a manual check can change
 * something, so polls get rarer as checks do. A watch that is left running must not use up the day's requests.
 */
export function nextPollMs({ nextCheckAt, lastCheck, createdAt }: Domain, now: number): number {
  const lastLook = Date.parse(lastCheck?.at ?? createdAt)
  // No check is scheduled.
  if (nextCheckAt === null) return between(5 * second, (now - lastLook) / 4, longestWhileLate)
  const left = Date.parse(nextCheckAt) - now + afterTheirs
  // The check is running, or overdue.
  if (left <= 0) return between(shortest, -left / 4, longestWhileLate)
  const rarest = between(15 * second, (Date.parse(nextCheckAt) - lastLook) / 4, 300 * second)
  return between(shortest, left, rarest)
}

/** The least for times that cannot be read. */
function between(least: number, value: number, most: number): number {
  return value >= least ? Math.min(most, value) : least
}

export interface Watching {
  look(): Promise<Domain>
  out: Output
  signal: AbortSignal
  /** Appended to suggested commands. */
  also: string
}

/** Polls until the domain is settled and shows its status meanwhile. */
export async function watchDomain(first: Domain, { look, out, signal, also }: Watching): Promise<Domain> {
  const atTerminal = out.chatty && out.stderr.isTTY === true
  const view = atTerminal ? redrawingView(out, also) : lineView(out, also)
  let domain = first
  try {
    while (!isSettled(domain)) {
      const until = Date.now() + nextPollMs(domain, Date.now())
      while (Date.now() < until) {
        view(domain)
        await sleep(Math.min(1000, Math.max(1, until - Date.now())), signal)
      }
      domain = await look()
    }
  } catch (error) {
    if (atTerminal) printLastView(domain, out, also)
    throw error
  }
  out.clear()
  return domain
}

type View = (domain: Domain) => void

function redrawingView(out: Output, also: string): View {
  return (domain) => {
    const lines = linesFor(domain, out, also).map(out.asTyped)
    out.draw(fitToScreen(lines, out.noteWidth, (out.stderr.rows || 24) - 1))
  }
}

/** The lines that fit the screen, and the last one: lines that scrolled off cannot be erased. */
export function fitToScreen(lines: readonly string[], width: number, rows: number): readonly string[] {
  const last = lines.at(-1) ?? ''
  const taken = (some: readonly string[]) => some.reduce((sum, line) => sum + displayRows(line, width), 0)
  if (taken(lines) <= rows) return lines
  const kept = lines.slice(0, -1)
  while (kept.length > 0 && taken([...kept, '…', last]) > rows) kept.pop()
  return [...kept, '…', last]
}

function lineView(out: Output, also: string): View {
  let told = ''
  return (domain) => {
    const now = Date.now()
    const line = `${domain.hostname}: ${statusTitle(domain)}. ${pendingReason(domain, { now, also })}`
    if (line === told) return
    told = line
    out.note(`${clockTime(new Date(now).toISOString(), now)} ${line}`)
  }
}

/** Leaves the last status on the screen. */
function printLastView(domain: Domain, out: Output, also: string): void {
  out.note(linesFor(domain, out, also).join('\n'))
  out.note('\nMasthead keeps checking automatically.')
}

/** Wraps sentences but not commands, so that the terminal copies them as one line. */
function linesFor(domain: Domain, out: Output, also: string): string[] {
  const place = { now: Date.now(), width: out.noteWidth - 1, also }
  return domainLines(domain, place, (style, part) => out.noteStyle(style, part))
}
