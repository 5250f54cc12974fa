import { sleep } from '@masthead/client/retry.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
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
 * When to ask again: a moment after the server's own next look. Before that only a look that somebody asked for can
 * have changed something, which is asked for the less often the rarer the looks have become: a watch that is left
 * alone must not use up the requests of a day.
 */
export function nextPollMs({ nextCheckAt, lastCheck, createdAt }: Domain, now: number): number {
  const lastLook = Date.parse(lastCheck?.at ?? createdAt)
  // Not by itself, or not yet known when.
  if (nextCheckAt === null) return between(5 * second, (now - lastLook) / 4, longestWhileLate)
  const left = Date.parse(nextCheckAt) - now + afterTheirs
  // It looks just now, or does not come to it.
  if (left <= 0) return between(shortest, -left / 4, longestWhileLate)
  const rarest = between(15 * second, (Date.parse(nextCheckAt) - lastLook) / 4, 300 * second)
  return between(shortest, left, rarest)
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

export interface Watching {
  look(): Promise<Domain>
  out: Output
  signal: AbortSignal
  /** What commands that are shown end with. */
  also: string
}

/** Looks until the domain is right or nobody searches any longer, and shows meanwhile what is waited for. */
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
  return (domain) =>
    out.draw(fitToScreen(linesFor(domain, out, also), out.noteWidth, (out.stderr.rows || 24) - 1))
}

/** As many lines as the screen has rows for, and the last: what has left the screen cannot be erased again. */
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

/** What was seen last stays on the screen when the person goes away. */
function printLastView(domain: Domain, out: Output, also: string): void {
  out.note(linesFor(domain, out, also).join('\n'))
  out.note('\nMasthead keeps checking automatically.')
}

/** Sentences are wrapped; what may be copied is left to the terminal, which knows that it is one line. */
function linesFor(domain: Domain, out: Output, also: string): string[] {
  const place = { now: Date.now(), width: out.noteWidth - 1, also }
  return domainLines(domain, place, (style, part) => out.noteStyle(style, part))
}
