import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { MailSettings } from '../config/config.ts'
import { tryMailServer } from '../mail/smtp.ts'
import { describeError, ok, problem } from './check.ts'

/** Connects and signs in. Whether it accepts the sender, only a message would show. */
export async function checkMail(settings: MailSettings, signal: AbortSignal): Promise<DoctorFinding> {
  const { host } = new URL(settings.url)
  try {
    await tryMailServer(settings, signal)
    return ok(`${host} takes mail from this server, sent as ${settings.from}.`)
  } catch (error) {
    const { code } = ((error as Error).cause ?? error) as { code?: string }
    return problem(`${host} takes no mail: ${describeError(error)}.`, fixes[code ?? ''] ?? usualFix)
  }
}

const usualFix = 'Check that the mail server runs, and the host and port in MASTHEAD_SMTP_URL.'

const fixes: Record<string, string> = {
  EAUTH:
    'Correct the user and the password in MASTHEAD_SMTP_URL. Special characters must be percent-encoded.',
  ETLS: 'The mail server must offer STARTTLS, because passwords are not sent without it. Or use smtps://, usually at port 465.',
  ESOCKET:
    'Check the host and port in MASTHEAD_SMTP_URL, and the certificate of the mail server. Node.js trusts another authority with NODE_EXTRA_CA_CERTS.',
}
