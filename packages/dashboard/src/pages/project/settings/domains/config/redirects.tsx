import { useRef, useState } from 'react'
import { ProblemNotice } from '../../../../../problem-notice.tsx'
import { Button } from '../../../../../ui/button.tsx'
import { Section } from '../../../../../ui/page.tsx'
import { Cell, Row, Table } from '../../../../../ui/table.tsx'
import type { ProjectNames, ShownName } from '../project-names.tsx'
import { redirectStatusWords } from './choices.ts'
import { type DomainsConfig, type Redirect, withoutRedirect } from './config.ts'
import { RedirectDialog } from './redirect-dialog.tsx'
import { useSaveConfig } from './save-config.ts'

interface RedirectsProps {
  slug: string
  config: DomainsConfig
  names: ProjectNames
  mayChange: boolean
}

export function Redirects({ slug, config, names, mayChange }: RedirectsProps) {
  const { shown } = names
  const [editing, setEditing] = useState<Partial<Redirect> | null>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const remove = useSaveConfig(slug, shown)
  const { redirects } = config

  function removeRedirect({ from }: Redirect) {
    if (remove.isPending) return
    // The button disappears with its row.
    addButton.current?.focus()
    remove.mutate({ seen: config, next: withoutRedirect(config, from) })
  }

  return (
    <Section
      title="Redirects"
      intro="Redirect one domain to another. Paths and queries are preserved."
      aside={
        mayChange && (
          <Button ref={addButton} onClick={() => setEditing({})}>
            Add redirect
          </Button>
        )
      }
    >
      {redirects.length === 0 ? (
        <p className="border-t border-hairline pt-4 text-soft">
          No redirects yet.{mayChange && ' Send old or www addresses to your primary domain.'}
        </p>
      ) : (
        <Table
          label="Redirects"
          columns={mayChange ? ['From', 'To', 'Status', ''] : ['From', 'To', 'Status']}
        >
          {redirects.map((redirect) => (
            <RedirectRow
              key={redirect.from}
              redirect={redirect}
              shown={shown}
              onEdit={mayChange ? () => setEditing(redirect) : undefined}
              onRemove={mayChange ? () => removeRedirect(redirect) : undefined}
            />
          ))}
        </Table>
      )}
      {remove.error !== null && (
        <div className="mt-4">
          <ProblemNotice error={remove.error} />
        </div>
      )}
      {editing !== null && (
        <RedirectDialog
          slug={slug}
          config={config}
          names={names}
          redirect={editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Section>
  )
}

interface RedirectRowProps {
  redirect: Redirect
  shown: ShownName
  onEdit: (() => void) | undefined
  onRemove: (() => void) | undefined
}

const rowAction = 'rounded-chip text-soft transition-colors duration-150 hover:text-ink'

function RedirectRow({ redirect: { from, to, status }, shown, onEdit, onRemove }: RedirectRowProps) {
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
              aria-label={`Edit redirect from ${shown(from)}`}
              onClick={onEdit}
            >
              Edit
            </button>
            <button
              type="button"
              className={rowAction}
              aria-label={`Remove redirect from ${shown(from)}`}
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
