import { createContext, useContext, useEffect, useId } from 'react'

/** The forms that hold changes which nobody has saved. */
export class UnsavedChanges {
  readonly #forms = new Set<string>()

  get any(): boolean {
    return this.#forms.size > 0
  }

  mark(form: string, isChanged: boolean): void {
    if (isChanged) this.#forms.add(form)
    else this.#forms.delete(form)
    // A listener that is always there would keep browsers from remembering the page.
    if (this.any) addEventListener('beforeunload', askFirst)
    else removeEventListener('beforeunload', askFirst)
  }
}

/** Null where forms may be left without a question, such as the one for signing in. */
export const UnsavedContext = createContext<UnsavedChanges | null>(null)

/** Tells whether the form that asks holds changes; one that is gone holds none. */
export function useMarkUnsaved(): (isChanged: boolean) => void {
  const id = useId()
  const unsaved = useContext(UnsavedContext)
  useEffect(() => () => unsaved?.mark(id, false), [id, unsaved])
  return (isChanged) => unsaved?.mark(id, isChanged)
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
