import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

/** JSON lines on standard output, without what lets somebody in. */
export function createLog(level: Config['logLevel']): Logger {
  return pino({ level, redact: ['req.headers.authorization', 'req.headers.cookie'] })
}
