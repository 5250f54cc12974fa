import { readFile, stat } from 'node:fs/promises'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { clockTime } from '../../terminal/format.ts'
import { sanitize } from '../../terminal/layout.ts'
import { type DomainVerb, onDomain } from '../verb.ts'

/** More than the server accepts, so that a wrong file is not read into memory. */
const largestFile = 64 * 1024

export const certificate: DomainVerb = {
  takes: ['NAME'],
  options: ['chain', 'key', 'remove'],
  async run(context, words, values) {
    const { out, signal } = context
    const { chain, key, remove } = values
    if (remove ? chain !== undefined || key !== undefined : chain === undefined || key === undefined) {
      throw usageError(
        '`masthead domains certificate` needs --chain and --key, or --remove.',
        'For example: masthead domains certificate www.acme.com --chain chain.pem --key key.pem',
      )
    }
    const { client, params } = await onDomain(context, words, values)
    if (remove) {
      const domain = await client.handOverCertificate({ params, signal })
      out.note(`${out.noteStyle('green', `Masthead takes over the certificate of ${domain.hostname}`)}.`)
      if (domain.certificate.serial !== null) {
        out.note('Yours stays in use until the new one is installed.')
      }
      return { document: domain, text: '' }
    }
    const body = { chain: await readPem(chain ?? ''), key: await readPem(key ?? '') }
    const domain = await client.uploadCertificate({ params, body, signal })
    for (const line of uploadedLines(domain, Date.now())) out.note(sanitize(line, 1_000))
    return { document: domain, text: '' }
  },
}

async function readPem(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size <= largestFile) return await readFile(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new CommandError(
      'file_unreadable',
      `${file} cannot be read (${code}).`,
      'Check the path.',
      'failed',
      cause,
    )
  }
  throw new CommandError(
    'file_too_large',
    `${file} is too large for a certificate or a key.`,
    'Check the path.',
  )
}

/** What was uploaded, and what follows from it. */
export function uploadedLines({ hostname, certificate: { own } }: Domain, now: number): string[] {
  if (own === null) return []
  const lines = [
    `${hostname} has your certificate from ${own.issuer}, valid until ${clockTime(own.notAfter, now)}.`,
  ]
  if (!own.inUse) lines.push('It is used as soon as DNS points here.')
  if (!own.trusted) {
    lines.push(
      'Browsers may not trust it: its chain does not end at a public root. Add the intermediates, unless it is from your own CA.',
    )
  }
  lines.push('We do not renew it. We warn you 30, 14, 7, 3 and 1 days before it expires.')
  return lines
}
