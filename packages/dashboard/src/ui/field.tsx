import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'

/**
 * Whether an input method uses the key to compose a character. Safari ends the composition before it reports the key that
 * confirms it, and marks that one only by its code.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229
}

/** The errors of the surrounding form, by field name. */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({})

interface FieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className' | 'children'> {
  name: string
  label: string
  /** Shows the label only to screen readers. */
  labelHidden?: boolean
  hint?: ReactNode
}

export function Field({ name, label, labelHidden = false, hint, type = 'text', ...rest }: FieldProps) {
  const id = useId()
  const fieldError = useContext(FieldErrors)[name]
  const [shown, setShown] = useState(false)
  const secret = type === 'password'
  return (
    <div>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block font-medium'}>
        {label}
      </label>
      <div className="relative">
        <input
          dir="auto"
          {...rest}
          id={id}
          name={name}
          type={secret && shown ? 'text' : type}
          aria-invalid={fieldError !== undefined || undefined}
          aria-describedby={noteId({ id, fieldError, hint })}
          className={`block h-10 w-full rounded-sheet border border-control bg-sheet px-3 text-[16px] transition-colors duration-150 placeholder:text-soft hover:border-soft focus-visible:border-ink focus-visible:outline-1 focus-visible:-outline-offset-1 aria-invalid:border-stopped aria-invalid:outline-stopped sm:text-body ${secret ? 'pr-16' : ''}`}
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
      <FieldNote id={id} fieldError={fieldError} hint={hint} />
    </div>
  )
}

interface Notes {
  /** The id of the field. */
  id: string
  fieldError: string | undefined
  hint: ReactNode
}

/** The error under a field or, without one, the hint. */
function FieldNote({ id, fieldError, hint }: Notes) {
  if (fieldError === undefined && hint === undefined) return null
  return (
    <p
      id={noteId({ id, fieldError, hint })}
      className={`mt-1.5 text-small ${fieldError === undefined ? 'text-soft' : 'text-stopped'}`}
    >
      {fieldError ?? hint}
    </p>
  )
}

/** For `aria-describedby`. An error has a different id, so that it is announced when it replaces the hint. */
function noteId({ id, fieldError, hint }: Notes): string | undefined {
  if (fieldError !== undefined) return `${id}-error`
  return hint === undefined ? undefined : `${id}-hint`
}

interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'id' | 'className' | 'children'> {
  name: string
  label: string
  hint?: ReactNode
}

/** For text of several lines, in the font of code. */
export function TextArea({ name, label, hint, ...rest }: TextAreaProps) {
  const id = useId()
  const fieldError = useContext(FieldErrors)[name]
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        name={name}
        aria-invalid={fieldError !== undefined || undefined}
        aria-describedby={noteId({ id, fieldError, hint })}
        className="block w-full rounded-sheet border border-control bg-sheet px-3 py-2 font-mono text-[16px] transition-colors duration-150 placeholder:text-soft hover:border-soft focus-visible:border-ink focus-visible:outline-1 focus-visible:-outline-offset-1 aria-invalid:border-stopped aria-invalid:outline-stopped sm:text-small"
      />
      <FieldNote id={id} fieldError={fieldError} hint={hint} />
    </div>
  )
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'id' | 'className'> {
  label: string
  /** Shows the label only to screen readers. */
  labelHidden?: boolean
  hint?: ReactNode
}

export function Select({ label, labelHidden = false, hint, children, ...rest }: SelectProps) {
  const id = useId()
  const fieldErrors = useContext(FieldErrors)
  const fieldError = rest.name === undefined ? undefined : fieldErrors[rest.name]
  return (
    <div>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block font-medium'}>
        {label}
      </label>
      <select
        {...rest}
        id={id}
        aria-invalid={fieldError !== undefined || undefined}
        aria-describedby={noteId({ id, fieldError, hint })}
        className="block h-10 w-full min-w-28 rounded-sheet border border-control bg-sheet px-2.5 text-[16px] transition-colors duration-150 hover:border-soft focus-visible:border-ink focus-visible:outline-1 focus-visible:-outline-offset-1 aria-invalid:border-stopped aria-invalid:outline-stopped sm:text-body"
      >
        {children}
      </select>
      <FieldNote id={id} fieldError={fieldError} hint={hint} />
    </div>
  )
}

/** How long to wait after the last key, in milliseconds. */
const debounceMs = 200

interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength?: number
  value: string
  onSearch: (text: string) => void
}

/** Searches while typing, debounced. */
export function SearchField({ label, placeholder, maxLength = 80, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const searched = useRef(value)
  const search = useRef(onSearch)
  search.current = onSearch

  // The value may also change by a link or the back button.
  useEffect(() => {
    if (value === searched.current) return
    searched.current = value
    setTyped(value)
  }, [value])

  useEffect(() => {
    const text = typed.trim()
    if (text === searched.current) return
    const timer = setTimeout(() => {
      searched.current = text
      search.current(text)
    }, debounceMs)
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <search className="mb-6 block max-w-[420px]">
      <Field
        name="search"
        type="search"
        label={label}
        labelHidden
        placeholder={placeholder}
        value={typed}
        maxLength={maxLength}
        autoComplete="off"
        onChange={({ target }) => setTyped(target.value)}
      />
    </search>
  )
}
