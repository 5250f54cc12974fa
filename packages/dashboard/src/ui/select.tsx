import { type ComponentProps, type ReactNode, useContext, useId } from 'react'
import { FieldFaults } from './field.tsx'
import { FieldNote, noteId } from './field-note.tsx'

interface SelectProps extends Omit<ComponentProps<'select'>, 'id' | 'className'> {
  label: string
  /** The label is for screen readers only, where the place says it already. */
  labelHidden?: boolean
  hint?: ReactNode
}

/** The browser's own list of choices. */
export function Select({ label, labelHidden = false, hint, children, ...rest }: SelectProps) {
  const id = useId()
  const faults = useContext(FieldFaults)
  const fault = rest.name === undefined ? undefined : faults[rest.name]
  return (
    <div>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block font-medium'}>
        {label}
      </label>
      <select
        {...rest}
        id={id}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={noteId({ id, fault, hint })}
        className="block h-10 w-full rounded-sheet border border-edge bg-sheet px-2.5 text-[16px] transition-colors duration-150 hover:border-soft focus-visible:border-ink focus-visible:outline-1 focus-visible:-outline-offset-1 aria-invalid:border-stopped aria-invalid:outline-stopped sm:text-body"
      >
        {children}
      </select>
      <FieldNote id={id} fault={fault} hint={hint} />
    </div>
  )
}
