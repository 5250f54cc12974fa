import { roles } from '@masthead/contract/scopes.ts'
import { type ReactNode, useState } from 'react'
import { Form } from '../../../form/form.tsx'
import { useSignedIn } from '../../../layout/signed-in.tsx'
import { changedFields } from './form-values.ts'

/** Edits on top of the stored values: a field that was not edited follows changes by others. */
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

interface DraftFormProps {
  draft: { changed: boolean; saved: boolean }
  onSubmit: () => Promise<void>
  submit?: string
  children: ReactNode
}

/** Its button stands out while there is something to save. */
export function DraftForm({
  draft: { changed, saved },
  onSubmit,
  submit = 'Save',
  children,
}: DraftFormProps) {
  return (
    <Form
      onSubmit={onSubmit}
      submit={submit}
      submitting="Saving…"
      look={changed ? 'primary' : 'plain'}
      aside={<Saved shown={saved && !changed} />}
    >
      {children}
    </Form>
  )
}

/** Always rendered, so that screen readers announce the change. */
function Saved({ shown }: { shown: boolean }) {
  return (
    <span role="status" className="mr-2 self-center text-small text-live">
      {shown && <span className="fade-in">Saved</span>}
    </span>
  )
}

export function ReadOnlyNotice({ who }: { who: string }) {
  const { role } = useSignedIn()
  return (
    <p className="mb-10 max-w-[60ch]">
      Only {who} can change this. Your role is {roles[role].title.toLowerCase()}.
    </p>
  )
}
