import { applyConfig } from './apply-config.ts'
import { storedName, typedName } from './typed-name.ts'
import { type DomainVerb, inProject } from './verb.ts'

export const primary: DomainVerb = {
  takes: ['NAME'],
  async run(context, [word = ''], values) {
    const { out, signal } = context
    const name = typedName(word)
    const { client, params } = await inProject(context, values)
    const { changed, domains } = await applyConfig(
      ({ redirects }) => ({
        primary: name,
        // The primary domain is where visitors stay.
        redirects: redirects.filter(({ from }) => storedName(from) !== storedName(name)),
      }),
      { client, params, out, signal },
    )
    if (!changed) out.note(`${domains.primary} is the primary domain already.`)
    return { document: { domains }, text: '' }
  },
}
