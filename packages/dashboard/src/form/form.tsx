import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { isProblem } from '../api/client.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button } from '../ui/button.tsx'
import { FieldFaults } from '../ui/field.tsx'
import { constraintFault, fieldFaults } from './field-faults.ts'
import { useMarkUnsaved } from './unsaved-changes.tsx'

interface FormProps {
  /** The values of its fields, by name; `data` has those too that share a name. */
  onSubmit: (values: Record<string, string>, data: FormData) => Promise<void>
  submit: string
  /** What it says while it does it. */
  submitting: string
  /** A button as wide as the form, on a page that is only the form. */
  wide?: boolean
  /** Plain as long as there is nothing to submit. */
  look?: 'primary' | 'plain'
  /** Stands before the button. */
  aside?: ReactNode
  /** Told whenever what is entered becomes, or is no longer, other than what was there. */
  onChanged?: (isChanged: boolean) => void
  children: ReactNode
}

type Refusal = { faults: Record<string, string>; error: unknown; at: number }

/** A form that says beside each field what is wrong with it, and leads to the first one. */
export function Form({
  onSubmit,
  submit,
  submitting,
  wide = false,
  look = 'primary',
  aside,
  onChanged,
  children,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [busy, setBusy] = useState(false)
  const refusedAt = refusal?.at
  const markUnsaved = useMarkUnsaved()
  const saved = useRef('')

  useEffect(() => {
    if (form.current !== null) saved.current = contentOf(form.current)
  }, [])

  function tellChanged(isChanged: boolean) {
    markUnsaved(isChanged)
    onChanged?.(isChanged)
  }

  useEffect(() => {
    if (refusedAt !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusedAt])

  function refuse(faults: Record<string, string>, error: unknown) {
    setRefusal({ faults, error, at: performance.now() })
  }

  /** What was wrong with a field is no longer known once it is changed. */
  function change({ target, currentTarget }: FormEvent<HTMLFormElement>) {
    tellChanged(contentOf(currentTarget) !== saved.current)
    if (refusal === null || !(target instanceof HTMLInputElement) || !(target.name in refusal.faults)) return
    const { [target.name]: _, ...faults } = refusal.faults
    setRefusal({ ...refusal, faults })
  }

  async function handle(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const element = event.currentTarget
    const faults = constraintFaults(element)
    if (Object.keys(faults).length > 0) return refuse(faults, null)
    const data = new FormData(element)
    const values = valuesOf(data)
    setBusy(true)
    setRefusal(null)
    // Where it leads on by itself, that is no way to lose anything.
    tellChanged(false)
    try {
      await onSubmit(values, data)
      saved.current = contentOf(element)
    } catch (error) {
      tellChanged(contentOf(element) !== saved.current)
      // Signing in again is asked for above the page; then the form can be sent once more.
      if (isProblem(error, 'unauthenticated')) return
      const named = fieldFaults(error, new Set(Object.keys(values)))
      refuse(named ?? {}, named === null ? error : null)
    } finally {
      setBusy(false)
    }
  }

  return (
    // The browser's own bubbles would hide what stands beside the fields.
    <form
      ref={form}
      noValidate
      method="post"
      onSubmit={handle}
      onInput={change}
      className="flex flex-col gap-5"
    >
      <FieldFaults value={refusal?.faults ?? {}}>{children}</FieldFaults>
      {refusal?.error != null && <ProblemNotice error={refusal.error} />}
      <div className="mt-1 flex flex-wrap justify-end gap-2">
        {aside}
        <Button type="submit" look={look} className={wide ? 'w-full' : ''} pending={busy && submitting}>
          {submit}
        </Button>
      </div>
    </form>
  )
}

function contentOf(form: HTMLFormElement): string {
  return JSON.stringify([...new FormData(form)])
}

function valuesOf(data: FormData): Record<string, string> {
  return Object.fromEntries([...data].map(([name, value]) => [name, typeof value === 'string' ? value : '']))
}

function constraintFaults(form: HTMLFormElement): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement)) continue
    const fault = constraintFault(element)
    if (fault !== null) faults[element.name] = fault
  }
  return faults
}
