import { minute } from '../clock.ts'
import type { IssuingContext } from './context.ts'
import { currentTicketKey, rotatedEvery } from './ticket-keys.ts'

export interface KeptTicketKeys {
  current(): Buffer
  onChange(listener: () => void): void
  close(): void
}

const pauseAfterFault = minute

/** The key of TLS sessions, taken anew when its time is over. While that fails the old one stays in use. */
export async function keepTicketKeys(
  context: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  log: { error(details: object, message: string): void },
): Promise<KeptTicketKeys> {
  const listeners: (() => void)[] = []
  let known = await currentTicketKey(context)
  let timer = lookAgain(known.nextAt - context.now())
  let isClosed = false

  /** However far the clock was set back meanwhile: a timer that is asked for too much does not wait at all. */
  function lookAgain(after: number): NodeJS.Timeout {
    return setTimeout(renew, Math.min(Math.max(after, 0), rotatedEvery)).unref()
  }

  async function renew(): Promise<void> {
    let after = pauseAfterFault
    try {
      known = await currentTicketKey(context)
      for (const listener of listeners) listener()
      after = known.nextAt - context.now()
    } catch (err) {
      log.error({ err }, 'the key of TLS sessions could not be renewed')
    }
    if (!isClosed) timer = lookAgain(after)
  }

  return {
    current: () => known.key,
    onChange: (listener) => void listeners.push(listener),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
