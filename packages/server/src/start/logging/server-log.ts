import { type Logger, pino } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Config } from '../../config/config.ts'
import { DatabaseOutage, type WatchedDatabase } from './database-outage.ts'
import { LineLimit } from './line-limit.ts'
import { type LogOutput, openStandardOutput } from './log-output.ts'

export interface ServerLog {
  log: Logger
  /** From now on, failures of this database are reported as one. */
  watch(database: WatchedDatabase): void
  /** Text for people, between the lines. */
  print(text: string): void
  countLost(metrics: Registry): void
  /** Reports what was left out so far. */
  close(): void
}

/** By pino's numbers. */
const limitedLevels: Record<number, 'info' | 'warn' | 'error'> = { 30: 'info', 40: 'warn', 50: 'error' }

/** JSON lines on standard output, without credentials, and few of a kind. At the level `debug`, all of them. */
export function openLog(
  level: Config['logLevel'],
  open: (report: (lost: number) => void) => Pick<LogOutput, 'write' | 'lostLines'> = openStandardOutput,
): ServerLog {
  const output = open((lost) =>
    reports.error({ lost }, 'lines of the log are missing here: they could not be written'),
  )
  const settings = { level, redact: ['req.headers.authorization', 'req.headers.cookie'] }
  // Has no limits: for the lines that say what was left out.
  const reports = pino(settings, output)
  const outage = new DatabaseOutage(reports)
  const limit = new LineLimit()
  const log = pino(
    {
      ...settings,
      hooks: {
        logMethod(args, method, lineLevel) {
          const name = limitedLevels[lineLevel]
          if (name === undefined) return method.apply(this, args)
          const [details, message = ''] = args as unknown[]
          const error = errorIn(details)
          const text = typeof details === 'string' ? details : String(message)
          const report = (leftOut: number) =>
            reports[name]({ leftOut }, `${text} (more lines like this were left out)`)
          const write = () => {
            if (limit.admits(kindOf(text, error), report)) method.apply(this, args)
            else this.debug(...args)
          }
          if (!outage.absorb(error, write)) write()
          else this.debug(...args)
        },
      },
    },
    output,
  )
  return {
    log,
    watch: (database) => outage.watch(database),
    print: (text) => output.write(text),
    countLost(metrics) {
      new Counter({
        name: 'masthead_log_lines_lost_total',
        help: 'Lines of the log that were lost because they could not be written in time',
        registers: [metrics],
        collect() {
          this.reset()
          this.inc(output.lostLines)
        },
      })
    },
    close() {
      outage.close()
      limit.endMinute()
    },
  }
}

function errorIn(details: unknown): unknown {
  if (details instanceof Error) return details
  return typeof details === 'object' && details !== null && 'err' in details ? details.err : undefined
}

/** By where the error comes from, because its message may have words of a stranger. */
function kindOf(text: string, error: unknown): string {
  if (!(error instanceof Error)) return text
  const { name, code = '', stack = '' } = error as NodeJS.ErrnoException
  const origin = stack.split('\n').find((line) => line.startsWith('    at ')) ?? ''
  return `${text} ${name} ${code}${origin}`
}
