import type { ReactNode } from 'react'

interface Notes {
  /** Of the field. */
  id: string
  fault: string | undefined
  hint: ReactNode
}

/** What stands under a field: what is wrong with it or, as long as nothing is, what to know about it. */
export function FieldNote({ id, fault, hint }: Notes) {
  if (fault === undefined && hint === undefined) return null
  return (
    <p
      id={noteId({ id, fault, hint })}
      className={`mt-1.5 text-small ${fault === undefined ? 'text-soft' : 'text-stopped'}`}
    >
      {fault ?? hint}
    </p>
  )
}

/** For `aria-describedby`. A fault has a name of its own, so that it is told when it takes the place of the hint. */
export function noteId({ id, fault, hint }: Notes): string | undefined {
  if (fault !== undefined) return `${id}-fault`
  return hint === undefined ? undefined : `${id}-hint`
}
