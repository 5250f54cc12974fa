import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Status } from '../../../../ui/status.tsx'
import { statusWords } from './status-words.ts'

/** The state in a word, told to screen readers when it changes. */
export function DomainStatus({ domain }: { domain: Domain }) {
  const { tone, title } = statusWords(domain)
  return (
    <span role="status" className="shrink-0">
      <span className="sr-only">{domain.unicode}: </span>
      <Status tone={tone}>{title}</Status>
    </span>
  )
}
