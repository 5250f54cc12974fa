import { type ComponentProps, createContext, type ReactNode, useContext, useId, useState } from 'react'
import { FieldNote, noteId } from './field-note.tsx'

/** What is wrong with the fields of the form around, by their names. */
export const FieldFaults = createContext<Readonly<Record<string, string>>>({})

interface FieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className' | 'children'> {
  name: string
  label: string
  /** The label is for screen readers only, where the place says it already. */
  labelHidden?: boolean
  hint?: ReactNode
}

export function Field({ name, label, labelHidden = false, hint, type = 'text', ...rest }: FieldProps) {
  const id = useId()
  const fault = useContext(FieldFaults)[name]
  const [shown, setShown] = useState(false)
  const secret = type === 'password'
  return (
    <div>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block font-medium'}>
        {label}
      </label>
      <div className="relative">
        <input
          {...rest}
          id={id}
          name={name}
          type={secret && shown ? 'text' : type}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={noteId({ id, fault, hint })}
          className={`block h-10 w-full rounded-sheet border border-edge bg-sheet px-3 text-[16px] transition-colors duration-150 placeholder:text-soft hover:border-soft focus-visible:border-ink focus-visible:outline-1 focus-visible:-outline-offset-1 aria-invalid:border-stopped aria-invalid:outline-stopped sm:text-body ${secret ? 'pr-16' : ''}`}
        />
        {secret && (
          <button
            type="button"
            aria-pressed={shown}
            aria-label={`Show ${label.toLowerCase()}`}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-1 right-1 rounded-chip px-2.5 text-small text-soft transition-colors duration-150 hover:text-ink"
          >
            {shown ? 'Hide' : 'Show'}
          </button>
        )}
      </div>
      <FieldNote id={id} fault={fault} hint={hint} />
    </div>
  )
}
