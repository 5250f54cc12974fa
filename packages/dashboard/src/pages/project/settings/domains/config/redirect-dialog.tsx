import { type RedirectStatus, redirectStatuses } from '@masthead/contract/project-settings.ts'
import { useState } from 'react'
import { Form } from '../../../../../form/form.tsx'
import { Button } from '../../../../../ui/button.tsx'
import { Dialog } from '../../../../../ui/dialog.tsx'
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
  /** The one to edit, or what is known of a new one. */
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
  const moved = !sameConfig(seen, config)

  async function submit() {
    const next = withRedirect(config, { from, to, status }, editing)
    // Whoever goes on after reading what changed has seen it.
    setSeen(config)
    try {
      await save.mutateAsync({ seen: config, next })
      onClose()
    } catch (error) {
      // What they made of it is here by now, and told above the fields.
      if (error instanceof ConfigConflictError) return
      const place = next.redirects.findIndex((each) => each.from === from)
      throw errorForRedirect(error, place)
    }
  }

  return (
    <Dialog
      title={editing === null ? 'Add a redirect' : `Edit the redirect of ${shown(editing)}`}
      onClose={onClose}
    >
      <Form
        submit={moved ? 'Save all the same' : editing === null ? 'Add the redirect' : 'Save'}
        submitting="Saving…"
        onSubmit={submit}
        aside={
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        }
      >
        {moved && <ConflictNotice before={seen} after={config} shown={shown} />}
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

/** What somebody else did while this was edited, so that nobody overwrites it unknowingly. */
function ConflictNotice({ before, after, shown }: ConflictNoticeProps) {
  return (
    <Notice tone="waiting" title="Somebody changed this while you were here.">
      {configDifference(before, after, shown).join(' ')} Your change comes on top of that.
    </Notice>
  )
}
