import type { AccountEvent } from '@masthead/contract/schemas/event.ts'

/** Who did it: a person by name, anything else told apart from people. */
export function actorWords({ kind, name }: AccountEvent['actor']): string {
  return kind === 'key' ? `${name} (API key)` : name
}
