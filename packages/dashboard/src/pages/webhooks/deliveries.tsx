import type { Delivery, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { useState } from 'react'
import { useDeliveries, useWebhookActions } from '../../data/webhooks.ts'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { RowAction } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Status } from '../../ui/status.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { deliveryState, lastAnswer } from './webhook-words.ts'

/** What was sent, and how the endpoint answered. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const list = useDeliveries(webhook.id)
  const { resend } = useWebhookActions(webhook.id)
  const say = useToast()
  const [shown, setShown] = useState<Delivery | null>(null)
  return (
    <Loaded query={list}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <p className="text-small text-soft">Nothing was sent yet. Send a test to see it arrive.</p>
        ) : (
          <>
            <Table label={`Deliveries to ${webhook.url}`} columns={['Event', 'Answer', 'Status', '']}>
              {deliveries.map((delivery) => {
                const { tone, word } = deliveryState(delivery)
                return (
                  <Row key={delivery.id}>
                    <Cell of="Event">
                      <span className="font-mono text-small">{delivery.type}</span>
                      <span className="block text-small text-soft">
                        <Time at={delivery.createdAt} />
                      </span>
                    </Cell>
                    <Cell of="Answer">{lastAnswer(delivery)}</Cell>
                    <Cell of="Status" oneLine>
                      <Status tone={tone}>{word}</Status>
                    </Cell>
                    <Cell end oneLine>
                      <span className="inline-flex gap-4">
                        <RowAction
                          harmless
                          label={`Show ${delivery.type} ${delivery.id}`}
                          onClick={() => setShown(delivery)}
                        >
                          Show
                        </RowAction>
                        <RowAction
                          harmless
                          label={`Resend ${delivery.type} ${delivery.id}`}
                          onClick={async () => {
                            await resend(delivery.id).then(
                              () => say({ words: `${delivery.type} is sent again.` }),
                              () => say({ words: 'It could not be sent again. Is the webhook enabled?' }),
                            )
                          }}
                        >
                          Resend
                        </RowAction>
                      </span>
                    </Cell>
                  </Row>
                )
              })}
            </Table>
            <ShowMore list={list} />
            {shown !== null && <DeliveryDetails delivery={shown} onClose={() => setShown(null)} />}
          </>
        )
      }
    </Loaded>
  )
}

function DeliveryDetails({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const answer = delivery.attempts.at(-1)?.answer
  return (
    <Dialog title={delivery.type} onClose={onClose}>
      <p className="font-medium">Request</p>
      <Snippet text={pretty(delivery.request.body)} />
      <p className="mt-5 font-medium">{lastAnswer(delivery)}</p>
      {answer === null || answer === undefined || answer === '' ? (
        <p className="text-soft">The answer had no content.</p>
      ) : (
        <Snippet text={answer} />
      )}
    </Dialog>
  )
}

function Snippet({ text }: { text: string }) {
  return (
    <pre className="mt-2 max-h-64 overflow-auto rounded-sheet border border-hairline bg-wash p-3 font-mono text-small whitespace-pre-wrap wrap-anywhere">
      {text}
    </pre>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
