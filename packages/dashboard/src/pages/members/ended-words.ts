import type { EndedMembership } from '@masthead/contract/schemas/people.ts'

/** What ended with a membership or a role: ", and 1 API key was revoked, 2 webhooks were removed". */
export function endedWords({ revokedKeys, removedPublishers, removedWebhooks }: EndedMembership): string {
  const parts = [
    ...counted(revokedKeys.length, 'API key', 'revoked'),
    ...counted(removedPublishers.length, 'trusted pipeline', 'removed'),
    ...counted(removedWebhooks.length, 'webhook', 'removed'),
  ]
  return parts.length === 0 ? '' : `, and ${parts.join(', ')}`
}

function counted(count: number, noun: string, done: string): string[] {
  if (count === 0) return []
  return [count === 1 ? `1 ${noun} was ${done}` : `${count} ${noun}s were ${done}`]
}
