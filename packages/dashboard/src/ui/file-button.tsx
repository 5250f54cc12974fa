import type { ReactNode } from 'react'
import { buttonClass } from './button.tsx'

interface FileButtonProps {
  /** A whole folder instead of one file. */
  folder?: boolean
  accept?: string
  onChoose: (files: File[]) => void
  children: ReactNode
}

/** A button that opens the system's dialog for files. The input itself has the focus, and the label its looks. */
export function FileButton({ folder = false, accept, onChoose, children }: FileButtonProps) {
  return (
    <label
      className={`${buttonClass()} cursor-pointer hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ink`}
    >
      <input
        type="file"
        className="sr-only"
        accept={accept}
        {...(folder ? { webkitdirectory: '' } : {})}
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? [])
          // The same choice again is a choice again.
          currentTarget.value = ''
          if (files.length > 0) onChoose(files)
        }}
      />
      {children}
    </label>
  )
}
