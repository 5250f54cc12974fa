import type { MailSettings } from '../config/config.ts'
import { second } from '../kernel/clock.ts'

export interface Message {
  /** The same for every attempt, so that a mail server can drop what arrives twice. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

export interface SmtpTimeouts {
  connect: number
  /** Of silence. */
  answer: number
}

const smtpTimeouts: SmtpTimeouts = { connect: 5 * second, answer: 20 * second }

/**
 * `recipient`: this address was refused for good, others may work. `message`: so was this mail, once the mail server had
 * seen it. `temporary`: one of them was refused for now.
 */
export type MailFault = 'server' | 'recipient' | 'message' | 'temporary'

export class MailError extends Error {
  override readonly name = 'MailError'
  readonly fault: MailFault

  constructor(fault: MailFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

const localHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * Passwords are never sent without TLS, and certificates are verified, except on this machine. Without a password,
 * STARTTLS is used if it is offered, as between all mail servers.
 */
export function smtpOptions({ url, from }: MailSettings, timeouts: SmtpTimeouts = smtpTimeouts) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const isLocal = localHosts.includes(hostname)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && username !== '' && !isLocal,
    tls: { rejectUnauthorized: !isLocal },
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    name: from.slice(from.lastIndexOf('@') + 1),
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.answer,
    socketTimeout: timeouts.answer,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Loaded with the first mail: most servers send none. */
async function createTransport(options: ReturnType<typeof smtpOptions>) {
  const nodemailer = await import('nodemailer')
  return nodemailer.createTransport(options)
}

/** Resolves when the mail server has taken the message. Throws a MailError. */
export async function sendMail(
  settings: MailSettings,
  { id, ...message }: Message,
  { timeouts, signal }: { timeouts?: SmtpTimeouts; signal?: AbortSignal } = {},
): Promise<void> {
  const transport = await createTransport(smtpOptions(settings, timeouts))
  const messageId = `<${id}@${settings.from.slice(settings.from.lastIndexOf('@') + 1)}>`
  const headers = { 'Auto-Submitted': 'auto-generated' }
  await ended(transport.sendMail({ from: settings.from, messageId, headers, ...message }), signal)
}

/** Connects and signs in, without a message. */
export async function tryMailServer(settings: MailSettings, signal: AbortSignal): Promise<void> {
  const transport = await createTransport(smtpOptions(settings))
  await ended(transport.verify(), signal)
}

/** A connection cannot be ended from here: an abort only stops waiting for it, and its timeouts end it. */
async function ended(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new Error('Stopped'))
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted === true) stop()
  try {
    await Promise.race([work, stopped])
  } catch (error) {
    throw new MailError(faultOf(error), error instanceof Error ? error.message : String(error), {
      cause: error,
    })
  } finally {
    signal?.removeEventListener('abort', stop)
    work.catch(() => {})
  }
}

function faultOf(error: unknown): MailFault {
  const { command = '', responseCode = 0 } = error as { command?: string; responseCode?: number }
  if (!['RCPT TO', 'DATA'].includes(command) || responseCode === 0 || responseCode === 421) return 'server'
  // What we would repeat is the same, so the answer would be too (RFC 5321, 4.2.1).
  if (responseCode >= 500) return command === 'RCPT TO' ? 'recipient' : 'message'
  return 'temporary'
}
