import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useSignedIn } from '../../../layout/signed-in.tsx'
import { changedFields } from './form-values.ts'

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

/** Says in place that a form was saved; there from the start, so that screen readers hear the change. */
export function Saved({ shown }: { shown: boolean }) {
  return (
    <span role="status" className="mr-2 self-center text-small text-live">
      {shown && <span className="fade-in">Saved</span>}
    </span>
  )
}

/** Says why nothing can be changed here, to somebody whose role does not allow it. */
export function ReadOnlyNotice({ who }: { who: string }) {
  const { role } = useSignedIn()
  return (
    <p className="mb-10 max-w-[60ch]">
      {who} of this account can change this. You are here as {roles[role].title.toLowerCase()}.
    </p>
  )
}
