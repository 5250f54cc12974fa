import { sleep } from '@masthead/client/sleep.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { clockTime } from '../human-time.ts'
import type { Output } from '../output.ts'
import { rowsTaken } from '../visible-length.ts'
import { domainLines } from './domain-lines.ts'
import { nextLookMs } from './next-look.ts'
import { isSettled, statusTitle, waitedFor } from './waited-for.ts'

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
  const view = atTerminal ? redrawn(out, also) : lineByLine(out, also)
  let domain = first
  try {
    while (!isSettled(domain)) {
      const until = Date.now() + nextLookMs(domain, Date.now())
      while (Date.now() < until) {
        view(domain)
        await sleep(Math.min(1000, Math.max(1, until - Date.now())), signal)
      }
      domain = await look()
    }
  } catch (error) {
    if (atTerminal) leaveStanding(domain, out, also)
    throw error
  }
  out.clear()
  return domain
}

type View = (domain: Domain) => void

function redrawn(out: Output, also: string): View {
  return (domain) =>
    out.draw(fitting(linesFor(domain, out, also), out.noteWidth, (out.stderr.rows || 24) - 1))
}

/** As many lines as the screen has rows for, and the last: what has left the screen cannot be erased again. */
export function fitting(lines: readonly string[], width: number, rows: number): readonly string[] {
  const last = lines.at(-1) ?? ''
  const taken = (some: readonly string[]) => some.reduce((sum, line) => sum + rowsTaken(line, width), 0)
  if (taken(lines) <= rows) return lines
  const kept = lines.slice(0, -1)
  while (kept.length > 0 && taken([...kept, '…', last]) > rows) kept.pop()
  return [...kept, '…', last]
}

function lineByLine(out: Output, also: string): View {
  let told = ''
  return (domain) => {
    const now = Date.now()
    const line = `${domain.hostname}: ${statusTitle(domain)}. ${waitedFor(domain, { now, also })}`
    if (line === told) return
    told = line
    out.note(`${clockTime(new Date(now).toISOString(), now)} ${line}`)
  }
}

/** What was seen last stays on the screen when the person goes away. */
function leaveStanding(domain: Domain, out: Output, also: string): void {
  out.note(linesFor(domain, out, also).join('\n'))
  out.note('\nMasthead goes on looking by itself.')
}

/** Sentences are wrapped; what may be copied is left to the terminal, which knows that it is one line. */
function linesFor(domain: Domain, out: Output, also: string): string[] {
  const place = { now: Date.now(), width: out.noteWidth - 1, also }
  return domainLines(domain, place, (style, part) => out.noteStyle(style, part))
}
