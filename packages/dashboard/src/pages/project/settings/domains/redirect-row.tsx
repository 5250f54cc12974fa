import { Cell, Row } from '../../../../ui/table.tsx'
import type { Redirect } from './config-change.ts'
import { redirectStatusWords } from './redirect-status.ts'
import type { ShownName } from './shown-name.ts'

interface RedirectRowProps {
  redirect: Redirect
  shown: ShownName
  onEdit: (() => void) | undefined
  onRemove: (() => void) | undefined
}

const rowAction = 'rounded-chip text-soft transition-colors duration-150 hover:text-ink'

export function RedirectRow({ redirect: { from, to, status }, shown, onEdit, onRemove }: RedirectRowProps) {
  return (
    <Row>
      <Cell of="From">{shown(from)}</Cell>
      <Cell of="To">{shown(to)}</Cell>
      <Cell of="Status">
        <span className="whitespace-nowrap">{redirectStatusWords[status].title}</span>
      </Cell>
      {onEdit !== undefined && onRemove !== undefined && (
        <Cell end>
          <span className="flex gap-5 whitespace-nowrap sm:justify-end">
            <button
              type="button"
              className={rowAction}
              aria-label={`Edit the redirect of ${shown(from)}`}
              onClick={onEdit}
            >
              Edit
            </button>
            <button
              type="button"
              className={rowAction}
              aria-label={`Remove the redirect of ${shown(from)}`}
              onClick={onRemove}
            >
              Remove
            </button>
          </span>
        </Cell>
      )}
    </Row>
  )
}
