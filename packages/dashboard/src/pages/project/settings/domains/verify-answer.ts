import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { byWeight } from './finding-order.ts'
import { findingTitle } from './finding-title.ts'

/** What came of a look that a person asked for, in a sentence. */
export function verifyAnswer({ lastCheck, certificate }: Domain): string {
  if (lastCheck === null) return ''
  if (lastCheck.outcome === 'right') {
    return certificate.status === 'valid'
      ? 'DNS is right.'
      : 'DNS is right. The certificate follows by itself.'
  }
  if (lastCheck.outcome === 'unclear') return 'It could not be judged, and nothing was changed.'
  const [first] = byWeight(lastCheck.findings)
  return first === undefined ? 'Not yet.' : `Not yet: ${midSentence(findingTitle(first))}`
}

/** Titles begin with a small word or with a name, which keeps its capital. */
function midSentence(title: string): string {
  return title.replace(/^(?:The|An|A|Another|No|Some)\b/, (word) => word.toLowerCase())
}
