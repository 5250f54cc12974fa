import { type RedirectStatus, redirectStatuses } from '@masthead/contract/project-settings.ts'
import { useState } from 'react'
import { Form } from '../../../../../form/form.tsx'
import { CancelButton, Dialog } from '../../../../../ui/dialog.tsx'
import { Select } from '../../../../../ui/field.tsx'
import { Notice } from '../../../../../ui/notices.tsx'
import { NameSelect, type ProjectNames, type ShownName } from '../project-names.tsx'
import { errorForRedirect, fromChoices, redirectStatusWords, toChoices } from './choices.ts'
import {
  ConfigConflictError,
  configDifference,
  type DomainsConfig,
  type Redirect,
  sameConfig,
  withRedirect,
} from './config.ts'
import { useSaveConfig } from './save-config.ts'

interface RedirectDialogProps {
  slug: string
  config: DomainsConfig
  names: ProjectNames
  /** The redirect to edit, or the known fields of a new one. */
  redirect: Partial<Redirect>
  onClose: () => void
}

export function RedirectDialog({ slug, config, names, redirect, onClose }: RedirectDialogProps) {
  const { all, shown } = names
  const editing = redirect.to === undefined ? null : (redirect.from ?? null)
  const [seen, setSeen] = useState(config)
  const froms = fromChoices(config, all, editing)
  const [from, setFrom] = useState(redirect.from ?? froms.find(({ not }) => not === null)?.name ?? '')
  const [to, setTo] = useState(redirect.to ?? config.primary)
  const [status, setStatus] = useState<RedirectStatus>(redirect.status ?? 301)
  const save = useSaveConfig(slug, shown)
  const conflicts = !sameConfig(seen, config)

  async function submit() {
    const next = withRedirect(config, { from, to, status }, editing)
    // Submitting after the conflict notice accepts the other changes.
    setSeen(config)
    try {
      await save.mutateAsync({ seen: config, next })
      onClose()
    } catch (error) {
      // The notice above the fields shows the new configuration.
      if (error instanceof ConfigConflictError) return
      const index = next.redirects.findIndex((each) => each.from === from)
      throw errorForRedirect(error, index)
    }
  }

  return (
    <Dialog
      title={editing === null ? 'Add redirect' : `Edit redirect from ${shown(editing)}`}
      onClose={onClose}
    >
      <Form
        submit={conflicts ? 'Save anyway' : editing === null ? 'Add redirect' : 'Save'}
        submitting="Saving…"
        onSubmit={submit}
        aside={<CancelButton onClick={onClose} />}
      >
        {conflicts && <ConflictNotice before={seen} after={config} shown={shown} />}
        <NameSelect name="from" label="From" choices={froms} chosen={from} shown={shown} onChoose={setFrom} />
        <NameSelect
          name="to"
          label="To"
          choices={toChoices(config, all, editing, from)}
          chosen={to}
          shown={shown}
          onChoose={setTo}
        />
        <Select
          name="status"
          label="Status"
          value={status}
          onChange={({ target }) =>
            setStatus(redirectStatuses.find((each) => `${each}` === target.value) ?? 301)
          }
          hint={redirectStatusWords[status].meaning}
        >
          {redirectStatuses.map((each) => (
            <option key={each} value={each}>
              {redirectStatusWords[each].title}
            </option>
          ))}
        </Select>
      </Form>
    </Dialog>
  )
}

interface ConflictNoticeProps {
  before: DomainsConfig
  after: DomainsConfig
  shown: ShownName
}

/** Shows changes by someone else, so that nobody overwrites them unknowingly. */
function ConflictNotice({ before, after, shown }: ConflictNoticeProps) {
  return (
    <Notice tone="waiting" title="Someone else changed this while you were editing.">
      {configDifference(before, after, shown).join(' ')} Your change is applied on top.
    </Notice>
  )
}
