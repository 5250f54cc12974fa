import { isServed } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'

/** The name as people read it, leading to the site where there is one. */
export function DomainName({ domain: { unicode, state, url } }: { domain: Domain }) {
  if (!isServed(state)) return unicode
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="hover:link">
      {unicode}
      <span aria-hidden="true" className="ml-1 font-normal text-soft">
        ↗
      </span>
    </a>
  )
}

/** The name as DNS has it, where that differs. */
export function AsciiName({ domain: { hostname, unicode } }: { domain: Domain }) {
  if (unicode === hostname) return null
  return <code className="min-w-0 basis-full font-mono text-small wrap-anywhere text-soft">{hostname}</code>
}
