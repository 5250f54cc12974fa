import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { isProblem } from '../api/client.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button } from '../ui/button.tsx'
import { HoldDialog } from '../ui/dialog.tsx'
import { FieldErrors } from '../ui/field.tsx'
import { constraintError, fieldErrorsOf } from './field-errors.ts'
import { useMarkUnsaved } from './unsaved-changes.tsx'

interface FormProps {
  /** Field values by name; use `data` for fields that share a name. */
  onSubmit: (values: Record<string, string>, data: FormData) => Promise<void>
  submit: string
  /** The button's label while it is busy. */
  submitting: string
  /** Makes the button as wide as the form. */
  wide?: boolean
  /** Plain while there is nothing to submit. */
  look?: 'primary' | 'plain'
  /** Shown before the button. */
  aside?: ReactNode
  onChanged?: (isChanged: boolean) => void
  children: ReactNode
}

type Refusal = { fieldErrors: Record<string, string>; error: unknown; at: number }

/** A form that shows errors next to their fields and focuses the first one. */
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

  function reportChanged(isChanged: boolean) {
    markUnsaved(isChanged)
    onChanged?.(isChanged)
  }

  useEffect(() => {
    if (refusedAt !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [refusedAt])

  function refuse(fieldErrors: Record<string, string>, error: unknown) {
    setRefusal({ fieldErrors, error, at: performance.now() })
  }

  /** Clears the message of a field once it is edited. */
  function change({ target, currentTarget }: FormEvent<HTMLFormElement>) {
    reportChanged(contentOf(currentTarget) !== saved.current)
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (refusal === null || !isField || !(target.name in refusal.fieldErrors)) return
    const { [target.name]: _, ...fieldErrors } = refusal.fieldErrors
    setRefusal({ ...refusal, fieldErrors })
  }

  async function handle(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const element = event.currentTarget
    const fieldErrors = constraintErrors(element)
    if (Object.keys(fieldErrors).length > 0) return refuse(fieldErrors, null)
    const data = new FormData(element)
    const values = valuesOf(data)
    setBusy(true)
    setRefusal(null)
    // Submitting may navigate, which must not ask about unsaved changes.
    reportChanged(false)
    try {
      await onSubmit(values, data)
      saved.current = contentOf(element)
    } catch (error) {
      reportChanged(contentOf(element) !== saved.current)
      // A dialog asks to sign in again; then the form can be submitted again.
      if (isProblem(error, 'unauthenticated')) return
      const named = fieldErrorsOf(error, new Set(Object.keys(values)))
      refuse(named ?? {}, named === null ? error : null)
    } finally {
      setBusy(false)
    }
  }

  return (
    // The browser's own bubbles would cover our messages.
    <form
      ref={form}
      noValidate
      method="post"
      onSubmit={handle}
      onInput={change}
      className="flex flex-col gap-5"
    >
      <HoldDialog while={busy} />
      <FieldErrors value={refusal?.fieldErrors ?? {}}>{children}</FieldErrors>
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

function constraintErrors(form: HTMLFormElement): Record<string, string> {
  const fieldErrors: Record<string, string> = {}
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement)) continue
    const fieldError = constraintError(element)
    if (fieldError !== null) fieldErrors[element.name] = fieldError
  }
  return fieldErrors
}
