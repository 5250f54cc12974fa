import type { ReactNode } from 'react'

interface TableProps {
  label: string
  /** An empty string is a column of actions. */
  columns: readonly string[]
  children: ReactNode
}

/**
 * On a phone each row becomes a block, with the column name before each value (see `Cell`). Where long names leave no
 * room for the last columns, it scrolls.
 */
export function Table({ label, columns, children }: TableProps) {
  return (
    <div className="relative overflow-x-auto rounded-sheet border border-hairline bg-sheet">
      <table aria-label={label} className="block w-full text-left sm:table">
        <thead className="sr-only sm:not-sr-only sm:table-header-group">
          <tr className="sm:bg-wash">
            {columns.map((column, index) => (
              <th
                key={column === '' ? `column-${index + 1}` : column}
                scope="col"
                className="px-4 py-2.5 text-small font-medium text-soft"
              >
                {column === '' ? <span className="sr-only">Actions</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block divide-y divide-hairline sm:table-row-group sm:border-t sm:border-hairline">
          {children}
        </tbody>
      </table>
    </div>
  )
}

export function Row({ children }: { children: ReactNode }) {
  return <tr className="block px-4 py-3 sm:table-row sm:p-0">{children}</tr>
}

interface CellProps {
  /** The column name, shown before the value on a phone. */
  of?: string
  end?: boolean
  /** Avoids line breaks; if there is no room, breaks only between words. */
  oneLine?: boolean
  /** Keeps words whole, within a limited width. */
  prose?: boolean
  children: ReactNode
}

export function Cell({ of, end = false, oneLine = false, prose = false, children }: CellProps) {
  return (
    <td
      className={`flex min-w-0 items-baseline gap-3 py-1 sm:table-cell sm:px-4 sm:py-3 sm:align-middle ${end ? 'sm:text-right' : ''}`}
    >
      {of !== undefined && (
        <span aria-hidden="true" className="w-22 shrink-0 text-small text-soft sm:hidden">
          {of}
        </span>
      )}
      <span
        className={`min-w-0 wrap-anywhere ${oneLine ? 'sm:wrap-normal md:whitespace-nowrap' : ''} ${prose ? 'sm:block sm:max-w-[24ch] sm:wrap-break-word' : ''}`}
      >
        {children}
      </span>
    </td>
  )
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-hairline border-t border-ink">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-6 py-2.5 sm:grid-cols-[160px_minmax(0,1fr)]">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

/** A strong rule opens the list, hairlines divide it. */
export function RuledList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-hairline border-t border-ink">
      {children}
    </ul>
  )
}

/** The double rule under a nameplate. */
export function DoubleRule() {
  return <div aria-hidden="true" className="h-1.25 border-t border-b border-t-ink border-b-hairline" />
}
