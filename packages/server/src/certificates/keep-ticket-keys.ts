import { minute } from '../clock.ts'
import type { IssuingContext } from './context.ts'
import { currentTicketKeys } from './ticket-keys.ts'

export interface KeptTicketKeys {
  current(): Buffer
  onChange(listener: () => void): void
  close(): void
}

const pauseAfterFault = minute

/** The key of new TLS sessions, taken anew when its time is over. While that fails the old one stays in use. */
export async function keepTicketKeys(
  context: Pick<IssuingContext, 'database' | 'now' | 'sealing'>,
  log: { error(details: object, message: string): void },
): Promise<KeptTicketKeys> {
  const listeners: (() => void)[] = []
  let known = await currentTicketKeys(context)
  let timer = lookAgain(known.nextAt - context.now())

  function lookAgain(after: number): NodeJS.Timeout {
    return setTimeout(renew, Math.max(after, 0)).unref()
  }

  async function renew(): Promise<void> {
    try {
      known = await currentTicketKeys(context)
      for (const listener of listeners) listener()
      timer = lookAgain(known.nextAt - context.now())
    } catch (err) {
      log.error({ err }, 'the keys of TLS sessions could not be renewed')
      timer = lookAgain(pauseAfterFault)
    }
  }

  return {
    current() {
      const [newest] = known.keys
      if (newest === undefined) throw new Error('There is no key for TLS sessions')
      return newest
    },
    onChange: (listener) => void listeners.push(listener),
    close: () => clearTimeout(timer),
  }
}
