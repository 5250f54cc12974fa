import { type Clock, minute, second } from '../../kernel/clock.ts'

/** Returns what to call every now and then: it writes at most one line a minute, with how many came since the last. */
export function createRefusedReport(
  refused: () => number,
  write: (refused: number) => void,
  now: Clock,
): () => void {
  let reported = 0
  let nextLineAt = Number.NEGATIVE_INFINITY
  return () => {
    const total = refused()
    if (total === reported || now() < nextLineAt) return
    write(total - reported)
    reported = total
    nextLineAt = now() + minute
  }
}

export interface RefusedReportParts {
  listeners: readonly { refused(): number }[]
  connectionsPerPort: number
  log: { warn(details: object, message: string): void }
}

/** Says in the log that connections are refused. Returns how to stop. */
export function reportRefused({ listeners, connectionsPerPort, log }: RefusedReportParts): () => void {
  const check = createRefusedReport(
    () => listeners.reduce((sum, listener) => sum + listener.refused(), 0),
    (refused) =>
      log.warn(
        { refused, connectionsPerPort },
        'connections were refused, because too many are open in all or from one address. If they are visitors, raise ' +
          'the limit of open files (ulimit -n, or LimitNOFILE in systemd).',
      ),
    () => performance.now(),
  )
  const checking = setInterval(check, second).unref()
  return () => clearInterval(checking)
}
