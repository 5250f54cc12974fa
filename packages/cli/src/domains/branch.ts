import { usageError } from '../errors/command-error.ts'
import { sanitize } from '../terminal/layout.ts'
import { displayHostname } from './hostname.ts'
import { type DomainVerb, onDomain } from './verb.ts'

export const branch: DomainVerb = {
  takes: ['NAME', '[BRANCH]'],
  options: ['remove'],
  async run(context, words, values) {
    const { out, signal } = context
    const [, name] = words
    if ((name === undefined) !== (values.remove === true)) {
      throw usageError(
        name === undefined ? 'The branch is missing.' : '--remove takes only the domain.',
        'Use `masthead domains branch NAME BRANCH`, or `masthead domains branch NAME --remove` to show what is live.',
      )
    }
    const { client, params } = await onDomain(context, words, values)
    const domain = await client.changeDomain({ params, body: { branch: name ?? null }, signal })
    out.note(
      domain.branch === null
        ? `${displayHostname(domain)} shows what is live.`
        : `${displayHostname(domain)} shows the newest deployment of ${sanitize(domain.branch)}.`,
    )
    return { document: domain, text: '' }
  },
}
