import { type EventType, events, eventTypes } from '@masthead/contract/events.ts'
import type { CreatedWebhook } from '@masthead/contract/schemas/webhook.ts'
import { webhookFormatNames, webhookFormats, webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { useState } from 'react'
import { useCreateWebhook } from '../../data/webhooks.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { OneTimeSecret } from '../../one-time-secret.tsx'
import { Checkbox } from '../../ui/choices.tsx'
import { Field, Select } from '../../ui/field.tsx'

export function NewWebhook({ onClose }: { onClose: () => void }) {
  const create = useCreateWebhook()
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  if (created !== null) return <WebhookSecret secret={created.secret} onDone={onClose} />
  return (
    <FormDialog
      title="Add webhook"
      onClose={onClose}
      submit="Add webhook"
      submitting="Adding…"
      onSubmit={async ({ url = '', format = '', which = '' }, data) => {
        const chosen = data.getAll('events')
        setCreated(
          await create.mutateAsync({
            url,
            format: webhookFormatNames.find((name) => name === format) ?? 'standard',
            events: which === 'all' ? null : eventTypes.filter((type) => chosen.includes(type)),
          }),
        )
      }}
    >
      <Field
        name="url"
        type="url"
        label="Address"
        required
        maxLength={webhookLimits.urlLength}
        autoComplete="off"
        placeholder="https://example.com/hooks/masthead"
        hint="Your program, or an incoming webhook of Slack or Discord."
      />
      <Select label="Format" name="format" defaultValue="standard">
        {webhookFormatNames.map((name) => (
          <option key={name} value={name}>
            {webhookFormats[name].replaceAll('`', '')}
          </option>
        ))}
      </Select>
      <EventFields />
    </FormDialog>
  )
}

function EventFields() {
  const [which, setWhich] = useState('all')
  const [chosen, setChosen] = useState<readonly EventType[]>([])
  return (
    <>
      <Select label="Events" name="which" value={which} onChange={({ target }) => setWhich(target.value)}>
        <option value="all">All, also those that later versions add</option>
        <option value="some">Only some</option>
      </Select>
      {which === 'some' && (
        <fieldset>
          <legend className="sr-only">Events to send</legend>
          <div className="flex max-h-72 flex-col gap-2.5 overflow-y-auto pr-2">
            {eventTypes.map((type, index) => (
              <Checkbox
                key={type}
                name="events"
                value={type}
                label={<span className="font-mono text-small">{type}</span>}
                hint={events[type]}
                checked={chosen.includes(type)}
                onChange={({ target: { checked } }) =>
                  setChosen(checked ? [...chosen, type] : chosen.filter((each) => each !== type))
                }
                // HTML has no `required` for a group of checkboxes, so the first one carries it.
                required={chosen.length === 0 && index === 0}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  )
}

export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <OneTimeSecret
      title="Copy the signing secret"
      intro="Your program verifies with it that requests come from here. It won't be shown again."
      secret={secret}
      what="the secret"
      onDone={onDone}
    />
  )
}
