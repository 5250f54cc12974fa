import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyIn, payloadOf } from './body.ts'

function payload(data: object, type = 'domain.live') {
  return JSON.stringify(
    payloadOf({
      account_id: 'acc_1',
      project_id: 'prj_1',
      type,
      actor_kind: 'person',
      actor_id: 'usr_1',
      actor_name: 'Ada <!channel> @everyone',
      data: JSON.stringify(data),
      at: Date.UTC(2026, 0, 1),
    }),
  )
}

test('the standard body has the type, the time of the event and its data', () => {
  assert.deepEqual(JSON.parse(bodyIn('standard', payload({ hostname: 'acme.com' }))), {
    type: 'domain.live',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: {
      hostname: 'acme.com',
      accountId: 'acc_1',
      projectId: 'prj_1',
      actor: { kind: 'person', id: 'usr_1', name: 'Ada <!channel> @everyone' },
    },
  })
})

test('what an event contains cannot pretend to be from another account', () => {
  const { data } = JSON.parse(bodyIn('standard', payload({ accountId: 'acc_2', actor: 'me' })))
  assert.equal(data.accountId, 'acc_1')
  assert.equal(data.actor.name, 'Ada <!channel> @everyone')
})

test('a Slack message notifies nobody and contains no links of others', () => {
  const { text } = JSON.parse(bodyIn('slack', payload({ name: '<https://evil.example|click>' })))
  assert.doesNotMatch(text, /[<>]/)
  assert.match(text, /^A domain went live.*\nname: &lt;https:\/\/evil\.example\|click&gt;$/)
})

test('a Discord message notifies nobody and has no markup of others', () => {
  const message = JSON.parse(bodyIn('discord', payload({ name: '[click](https://evil.example)\n# big' })))
  assert.deepEqual(message.allowed_mentions, { parse: [] })
  assert.match(message.content, /name: \\\[click\\\]\\\(https:\/\/evil\.example\\\)\\\\u\{a\}\\# big$/)
})

test('a message stays short whatever the event contains', () => {
  const many = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`key${index}`, 'x'.repeat(5_000)]),
  )
  for (const format of ['slack', 'discord'] as const) {
    const message = JSON.parse(bodyIn(format, payload(many)))
    assert.ok((message.text ?? message.content).length < 2_000)
  }
})
