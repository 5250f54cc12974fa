import { useEffect, useRef, useState } from 'react'
import { Field } from './field.tsx'

/** A pause in typing this long is a question. */
const pause = 200

interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength?: number
  value: string
  onSearch: (text: string) => void
}

/** Searches as one types, without a question for every letter. */
export function SearchField({ label, placeholder, maxLength = 80, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const asked = useRef(value)
  const search = useRef(onSearch)
  search.current = onSearch

  // What is searched for may change elsewhere: by a link, or by going back.
  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setTyped(value)
  }, [value])

  useEffect(() => {
    const text = typed.trim()
    if (text === asked.current) return
    const timer = setTimeout(() => {
      asked.current = text
      search.current(text)
    }, pause)
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
