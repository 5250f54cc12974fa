import { sleep } from '@masthead/client/sleep.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { clockTime } from '../human-time.ts'
import type { Output } from '../output.ts'
import { cutToWidth } from '../visible-length.ts'
import { domainLines } from './domain-lines.ts'
import { isSettled, stateTitle, waitedFor } from './waited-for.ts'

export interface Watching {
  look(): Promise<Domain>
  out: Output
  signal: AbortSignal
}

/** Looks until the domain is right or nobody searches any longer, and shows meanwhile what is waited for. */
export async function watchDomain(first: Domain, { look, out, signal }: Watching): Promise<Domain> {
  const atTerminal = out.chatty && out.stderr.isTTY === true
  const view = atTerminal ? redrawn(out) : lineByLine(out)
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
    if (atTerminal) leaveStanding(domain, out)
    throw error
  }
  out.clear()
  return domain
}

/** A moment after the server's own next look. */
export function nextLookMs({ nextCheckAt }: Domain, now: number): number {
  const ms = nextCheckAt === null ? 5000 : Date.parse(nextCheckAt) - now + 500
  return Math.min(15_000, Math.max(1000, ms))
}

type View = (domain: Domain) => void

function redrawn(out: Output): View {
  return (domain) => {
    const lines = terminalLines(domain, out)
    const rows = Math.max(3, (out.stderr.rows || 24) - 1)
    const last = lines.at(-1) ?? ''
    // What does not fit cannot be erased again.
    out.draw(lines.length <= rows ? lines : [...lines.slice(0, rows - 2), '…', last])
  }
}

function lineByLine(out: Output): View {
  let told = ''
  return (domain) => {
    const now = Date.now()
    const line = `${domain.hostname}: ${stateTitle(domain.state)}. ${waitedFor(domain, now)}`
    if (line === told) return
    told = line
    out.note(`${clockTime(new Date(now).toISOString(), now)} ${line}`)
  }
}

/** What was seen last stays on the screen when the person goes away. */
function leaveStanding(domain: Domain, out: Output): void {
  out.note(terminalLines(domain, out).join('\n'))
  out.note('\nMasthead goes on looking by itself.')
}

function terminalLines(domain: Domain, out: Output): string[] {
  const width = (out.stderr.columns || 80) - 1
  const place = { now: Date.now(), width }
  return domainLines(domain, place, (style, part) => out.noteStyle(style, part)).map((line) =>
    cutToWidth(line, width),
  )
}
