import type { OperatorSite } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useRestoreSite, useTakeDown } from '../../data/operator.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { useToast } from '../../ui/notices.tsx'

const statuses = {
  451: { title: '451 Unavailable for legal reasons', hint: 'For a court order or another legal demand.' },
  403: { title: '403 Forbidden', hint: 'For phishing, malware and anything else against your rules.' },
} as const

export function TakeDown({ site: { id, slug }, onClose }: { site: OperatorSite; onClose: () => void }) {
  const takeDown = useTakeDown(id)
  const say = useToast()
  const [status, setStatus] = useState<keyof typeof statuses>(451)
  return (
    <FormDialog
      title={`Take down ${slug}`}
      onClose={onClose}
      submit="Take down site"
      submitting="Taking down…"
      onSubmit={async ({ reason = '' }) => {
        await takeDown.mutateAsync({ reason, status })
        onClose()
        say({ words: `${slug} was taken down on all its domains.` })
      }}
    >
      <p className="text-soft">
        Visitors to every domain and preview of this project immediately get an error page with your reason.
        Nothing is deleted, and you can restore the site.
      </p>
      <Field
        name="reason"
        label="Reason"
        required
        maxLength={500}
        autoComplete="off"
        autoFocus
        hint="Shown to visitors and to members of the account."
      />
      <Select
        name="status"
        label="Status"
        value={String(status)}
        hint={statuses[status].hint}
        onChange={({ target }) => setStatus(target.value === '403' ? 403 : 451)}
      >
        {([451, 403] as const).map((each) => (
          <option key={each} value={each}>
            {statuses[each].title}
          </option>
        ))}
      </Select>
    </FormDialog>
  )
}

export function RestoreSite({ site: { id, slug }, onClose }: { site: OperatorSite; onClose: () => void }) {
  const restore = useRestoreSite(id)
  const say = useToast()
  return (
    <Confirm
      title={`Restore ${slug}?`}
      action="Restore site"
      acting="Restoring…"
      onClose={onClose}
      onConfirm={async () => {
        await restore.mutateAsync()
        onClose()
        say({ words: `${slug} was restored.` })
      }}
    >
      <p>Visitors see the site again, as last published.</p>
    </Confirm>
  )
}
