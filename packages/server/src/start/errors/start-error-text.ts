import { CertificateFileError } from '../../certificates/platform/certificate-files.ts'
import type { Config } from '../../config/config.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import { LabPortInUseError } from '../../lab/lab.ts'
import { MasterKeyError } from '../../secrets/master-key.ts'
import { explainError } from './explain-error.ts'

/** Their messages are for the operator, without a stack. */
const operatorErrors = [OperatorError, LabPortInUseError, MasterKeyError, CertificateFileError]

type Listening = Pick<Config, 'httpPort'>

/** Why the server does not start. One line for each thing that the operator can change; bugs keep their stack. */
export function startErrorText(error: unknown, config: Listening | null): string {
  const { code = '', message, syscall, port } = error as NodeJS.ErrnoException & { port?: number }
  if (operatorErrors.some((kind) => error instanceof kind)) return message
  if (syscall === 'listen' || syscall === 'bind') {
    const portSetting = port === config?.httpPort ? 'MASTHEAD_HTTP_PORT' : 'MASTHEAD_HTTPS_PORT'
    if (code === 'EADDRNOTAVAIL')
      return `MASTHEAD_HOST: ${message}. Use an address of this machine, or 0.0.0.0 or :: for all of them.`
    if (code === 'EADDRINUSE')
      return `${portSetting}: ${message}. Stop the program that uses the port, or change the setting.`
    if (code === 'EACCES')
      return `${portSetting}: ${message}. Ports below 1024 need the capability CAP_NET_BIND_SERVICE; or use a higher one.`
  }
  return explainError(error) ?? (error instanceof Error ? (error.stack ?? message) : String(error))
}
