import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@masthead/client/client.ts'
import { ConnectionError, ProblemError, UnexpectedAnswerError } from '@masthead/client/errors.ts'
import type { EventType } from '@masthead/contract/events.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import { webhookPayload } from '@masthead/contract/webhooks/payload.ts'
import type { CommandResult } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { formatCount } from '../terminal/format.ts'
import { sanitize } from '../terminal/layout.ts'
import type { Output } from '../terminal/output.ts'
import { forward, listenSecret } from './forward.ts'
import { NewEvents } from './new-events.ts'

/** Between two looks, so that a busy account does not use up its requests. */
const paceMs = 2_000
const pauses = [1_000, 2_000, 5_000, 10_000, 30_000]

export interface Listening {
  /** Null prints the events only. */
  target: URL | null
  /** Null means all. */
  types: readonly EventType[] | null
  project: string | undefined
}

/** Forwards new events until the person presses Ctrl-C, or nobody reads what is printed. */
export async function listen(context: CommandContext, listening: Listening): Promise<CommandResult> {
  const { out } = context
  const signal = AbortSignal.any([context.signal, out.unread])
  const { host } = new URL(context.server)
  const key = await context.key()
  const client = context.client(key)
  const { id: accountId } = await client.getAccount({ signal })
  const secret = listenSecret(key)
  let count = 0

  async function handle(event: AccountEvent): Promise<void> {
    if (listening.types !== null && !listening.types.includes(event.type)) return
    count++
    const body = JSON.stringify(webhookPayload(event, accountId))
    const answer =
      listening.target && (await forward(listening.target, { id: event.id, body }, secret, signal))
    if (out.json) {
      const { id } = event
      return out.result(JSON.stringify({ id, ...JSON.parse(body), ...(answer && { answer: answer.said }) }))
    }
    const line = `${event.at.slice(11, 19)}  ${event.type}  ${event.id}${sanitize(subjectOf(event))}`
    const color = answer?.isAccepted ? 'green' : 'red'
    out.result(answer === null ? line : `${line}  ${out.style(color, sanitize(answer.said, 300))}`)
  }

  try {
    const events = await NewEvents.from(client.listEvents, { project: listening.project }, signal)
    if (listening.target !== null) {
      out.note(`Forwarding to ${listening.target.href}, signed with ${secret}`)
    }
    out.note(`Listening to ${host}. Press Ctrl-C to stop.`)
    await whenever(client, { host, out, signal }, async () => {
      for (const event of await events.read(signal)) await handle(event)
    })
  } catch (error) {
    if (!signal.aborted) throw error
  }
  out.note(`Stopped after ${formatCount(count, 'event')}.`)
  return { document: undefined, text: '' }
}

/** Calls it when something may have changed, and after every interruption. Returns only by throwing. */
async function whenever(
  client: Client,
  { host, out, signal }: { host: string; out: Output; signal: AbortSignal },
  look: () => Promise<void>,
): Promise<never> {
  for (let failures = 0; ; ) {
    try {
      for await (const _ of client.streamChanges({ signal })) {
        await look()
        if (failures > 0) out.note(`Connected to ${host} again.`)
        failures = 0
        await delay(paceMs, undefined, { signal })
      }
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error
      if (failures === 0) out.note(`Lost the connection to ${host}. Trying again until it is back.`)
      failures++
    }
    await delay(pauses[Math.min(failures, pauses.length - 1)], undefined, { signal })
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof UnexpectedAnswerError) return true
  return error instanceof ProblemError && (error.status === 429 || error.status >= 500)
}

function subjectOf({ data }: AccountEvent): string {
  const subject = data.hostname ?? data.deploymentId ?? data.slug
  return typeof subject === 'string' ? `  ${subject}` : ''
}
