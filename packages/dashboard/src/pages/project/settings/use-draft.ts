import { useState } from 'react'
import { changedFields } from './changed-fields.ts'

/** What is being changed, over what is stored: a field that nobody touched follows the changes of others. */
export function useDraft<T extends object>(stored: T) {
  const [draft, setDraft] = useState<Partial<T>>({})
  const [saved, setSaved] = useState(false)
  const changes = changedFields(draft, stored)
  return {
    values: { ...stored, ...draft },
    changes,
    changed: Object.keys(changes).length > 0,
    saved,
    set: (change: Partial<T>) => {
      setDraft({ ...draft, ...change })
      setSaved(false)
    },
    taken: () => {
      setDraft({})
      setSaved(true)
    },
  }
}
