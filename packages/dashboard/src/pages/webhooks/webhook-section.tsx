import type { Webhook } from '@masthead/contract/schemas/webhook.ts'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useWebhookActions } from '../../data/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Disclosure, Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Fact, Facts } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookSecret } from './new-webhook.tsx'
import { eventsWords, webhookState } from './webhook-words.ts'

type Asked = 'rotate' | 'remove' | null

export function WebhookSection({ webhook }: { webhook: Webhook }) {
  const { change, test } = useWebhookActions(webhook.id)
  const say = useToast()
  const [asked, setAsked] = useState<Asked>(null)
  const [isShown, setShown] = useState(false)
  const { tone, word, explanation } = webhookState(webhook)
  const isEnabled = webhook.state !== 'disabled'
  const attempt = async (act: () => Promise<unknown>, words: string) => {
    await act().then(
      () => say({ words }),
      () => say({ words: 'That did not work. Try again.' }),
    )
  }
  return (
    <Section title={new URL(webhook.url).host} aside={<Status tone={tone}>{word}</Status>}>
      <Facts>
        <Fact name="Address">
          <code className="font-mono text-small">{webhook.url}</code>
        </Fact>
        <Fact name="Events">{eventsWords(webhook.events)}</Fact>
        <Fact name="Last delivered">
          {webhook.deliveredAt === null ? 'never' : <Time at={webhook.deliveredAt} />}
        </Fact>
        {webhook.previousSecretUntil !== null && (
          <Fact name="Previous secret">
            signs too until <Time at={webhook.previousSecretUntil} kind="future" />
          </Fact>
        )}
      </Facts>
      {explanation !== null && <p className="mt-3 max-w-[60ch] text-soft">{explanation}</p>}
      <div className="mt-4 flex flex-wrap gap-3">
        {isEnabled && <Button onClick={() => attempt(test, 'A test was sent.')}>Send a test</Button>}
        <Button
          onClick={() =>
            attempt(
              () => change({ enabled: !isEnabled }),
              isEnabled ? 'Paused. Nothing is sent until you enable it.' : 'Enabled.',
            )
          }
        >
          {isEnabled ? 'Pause' : 'Enable'}
        </Button>
        <Button look="quiet" onClick={() => setAsked('rotate')}>
          New secret
        </Button>
        <Button look="quiet" onClick={() => setAsked('remove')}>
          Remove
        </Button>
      </div>
      <div className="mt-5">
        <Disclosure summary="Deliveries" onToggle={setShown}>
          {isShown && <Deliveries webhook={webhook} />}
        </Disclosure>
      </div>
      {asked === 'rotate' && <RotateSecret webhook={webhook} onClose={() => setAsked(null)} />}
      {asked === 'remove' && <RemoveWebhook webhook={webhook} onClose={() => setAsked(null)} />}
    </Section>
  )
}

interface AskedProps {
  webhook: Webhook
  onClose: () => void
}

function RotateSecret({ webhook, onClose }: AskedProps) {
  const { rotate } = useWebhookActions(webhook.id)
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) return <WebhookSecret secret={secret} onDone={onClose} />
  return (
    <Confirm
      title="Create a new secret?"
      action="Create secret"
      acting="Creating…"
      onClose={onClose}
      onConfirm={async () => setSecret((await rotate()).secret)}
    >
      <p>
        For {webhookLimits.hoursOfOverlap} hours, requests are signed with both secrets, so that you can
        change your program in between.
      </p>
    </Confirm>
  )
}

function RemoveWebhook({ webhook, onClose }: AskedProps) {
  const { remove } = useWebhookActions(webhook.id)
  const say = useToast()
  return (
    <Confirm
      title={`Remove ${new URL(webhook.url).host}?`}
      action="Remove webhook"
      acting="Removing…"
      onClose={onClose}
      onConfirm={async () => {
        await remove()
        onClose()
        focusPage()
        say({ words: 'The webhook was removed.' })
      }}
    >
      <p>Events that were not sent yet are dropped, and its log goes. To stop for a while, pause it.</p>
    </Confirm>
  )
}
