import { Notice } from '../../../../ui/notice.tsx'
import type { AddedNames } from './add-names.ts'
import { addRefusal } from './add-refusal.ts'

interface AddTroubleProps {
  added: AddedNames
  /** The twin that was asked for, as people read it. */
  twin: string
}

/** The first name was added, and not all that should have come with it. */
export function AddTrouble({ added: { domain, twin, trouble }, twin: asked }: AddTroubleProps) {
  if (trouble === null) return null
  const { what, fix, way } = addRefusal(trouble.error)
  const names = twin === null ? `${domain.unicode} is` : `${domain.unicode} and ${twin.unicode} are`
  return (
    <Notice
      tone="waiting"
      title={`${names} added, but ${trouble.about === 'twin' ? `${asked} is not` : 'nothing redirects'}.`}
    >
      {what}{' '}
      {trouble.about === 'twin'
        ? `${way === 'move' ? 'Add it by itself to move it here.' : fix} Nothing redirects yet.`
        : `${fix} Add the redirect below.`}
    </Notice>
  )
}
