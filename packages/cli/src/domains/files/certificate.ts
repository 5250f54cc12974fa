import { usageError } from '../../errors/command-error.ts'
import { projectFlag } from '../../project/choose-project.ts'
import { ownCertificateLines } from '../domain-lines.ts'
import { type DomainVerb, onDomain } from '../verb.ts'
import { readTextFile } from './read-text-file.ts'

/** More than the server accepts. */
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
    const body = {
      chain: await readTextFile(chain ?? '', largestFile),
      key: await readTextFile(key ?? '', largestFile),
    }
    const domain = await client.uploadCertificate({ params, body, signal })
    const place = { now: Date.now(), width: out.width, also: projectFlag(values.project) }
    for (const line of ownCertificateLines(domain, place)) out.note(line)
    out.note('We do not renew it. We warn you 30, 14, 7, 3 and 1 days before it expires.')
    return { document: domain, text: '' }
  },
}
