import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { useServer } from '../api/session.ts'
import { useWebhooks } from '../data/webhooks.ts'
import { GuideLink } from '../guide-link.tsx'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { useHashDialog } from '../ui/url-state.ts'
import { NewWebhook } from './webhooks/new-webhook.tsx'
import { WebhookSection } from './webhooks/webhook-section.tsx'
import { failureWords } from './webhooks/webhook-words.ts'

export function WebhooksPage() {
  return useHasScope('admin') ? <ManagedWebhooks /> : <OwnersOnly />
}

function ManagedWebhooks() {
  const adding = useHashDialog('new')
  const list = useWebhooks()
  const { data: server } = useServer()
  return (
    <Page
      title="Webhooks"
      intro={
        <>
          A webhook tells your program what happens here, signed and at least once.
          <GuideLink to="webhooks" />
        </>
      }
      aside={
        (list.data?.length ?? 0) < webhookLimits.perAccount && (
          <Button look="primary" onClick={adding.open}>
            Add webhook
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              Add the address of a program, or of a channel in Slack or Discord. It hears of deployments,
              domains, keys and people as things happen.
            </Empty>
          ) : (
            <>
              {webhooks.map((webhook) => (
                <WebhookSection key={webhook.id} webhook={webhook} />
              ))}
              <p className="mt-8 text-small text-soft">{failureWords(server?.mail ?? false)}</p>
            </>
          )
        }
      </Loaded>
      {adding.isOpen && <NewWebhook onClose={adding.close} />}
    </Page>
  )
}

function OwnersOnly() {
  const { account } = useSignedIn()
  return (
    <Page title="Webhooks">
      <Empty title="Only owners can manage webhooks">
        Owners of <bdi>{account.name}</bdi> can see, add and remove its webhooks. Ask one of them, or to make
        you an owner.
      </Empty>
    </Page>
  )
}
