import { setTimeout as sleep } from 'node:timers/promises'
import { visitSecurely } from './visit-securely.ts'

export interface FirstAnswer {
  /** By the clock; null where it never came. */
  at: number | null
  /** Tries that came to nothing before. */
  refused: number
}

export interface Asked {
  port: number
  name: string
  root: string
  /** Milliseconds between two tries. */
  pause: number
}

/** Longer than anybody waits. */
const patience = 180_000

/** Asks for the front page over HTTPS, with a certificate that leads to the root, until it is shown. */
export async function firstAnswer({ port, name, root, pause }: Asked): Promise<FirstAnswer> {
  const end = Date.now() + patience
  const localAddress = nextAddress()
  for (let refused = 0; ; refused++) {
    const left = end - Date.now()
    if (left <= 0) return { at: null, refused }
    const visitor = { localAddress, signal: AbortSignal.timeout(left) }
    const answer = await visitSecurely(port, name, root, visitor).catch(() => null)
    if (answer?.status === 200) return { at: Date.now(), refused }
    await sleep(pause)
  }
}

let addresses = 0

/** Visitors come from many addresses. From a single one, a hundred names that are not there yet would be a flood. */
function nextAddress(): string {
  addresses++
  return `127.1.${addresses >> 8}.${addresses & 255}`
}
