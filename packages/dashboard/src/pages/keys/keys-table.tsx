import type { Key } from '@masthead/contract/schemas/key.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useRevokeKey } from '../../data/keys.ts'
import { RowAction } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Status } from '../../ui/status.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time, useTimeLeft } from '../../ui/time.tsx'
import { type KeyBan, keyState } from './key.ts'

interface KeysTableProps {
  keys: readonly Key[]
  bans: readonly KeyBan[]
  /** Requests per key today; adds a column. */
  today?: ReadonlyMap<string, number>
  /** Shows the age of each key and a button to revoke it. */
  manage?: boolean
}

export function KeysTable({ keys, bans, today, manage = false }: KeysTableProps) {
  const [revoking, setRevoking] = useState<Key | null>(null)
  const columns = [
    'Key',
    'Scopes',
    'Last used',
    ...(today === undefined ? [] : ['Today']),
    'Status',
    ...(manage ? [''] : []),
  ]
  return (
    <>
      <Table label="API keys" columns={columns}>
        {keys.map((key) => (
          <Row key={key.id}>
            <Cell>
              <KeyName apiKey={key} />
              {manage && <KeyAge apiKey={key} />}
            </Cell>
            <Cell of="Scopes">
              {key.scopes.join(', ')}
              {key.project !== null && (
                <span className="block text-small text-soft">only {key.project.slug}</span>
              )}
            </Cell>
            <Cell of="Last used" oneLine>
              {key.lastUsedAt === null ? 'never' : <Time at={key.lastUsedAt} />}
            </Cell>
            {today !== undefined && (
              <Cell of="Today" oneLine>
                {(today.get(key.id) ?? 0).toLocaleString('en')}
              </Cell>
            )}
            <Cell of="Status" oneLine>
              <KeyStatus apiKey={key} ban={bans.find(({ keyId }) => keyId === key.id)} />
            </Cell>
            {manage && (
              <Cell end oneLine>
                <RowAction label={`Revoke ${key.name}`} onClick={() => setRevoking(key)}>
                  Revoke
                </RowAction>
              </Cell>
            )}
          </Row>
        ))}
      </Table>
      {revoking !== null && <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function KeyName({ apiKey: { name, hint } }: { apiKey: Key }) {
  return (
    <>
      <bdi className="font-medium">{name}</bdi>{' '}
      <code className="font-mono text-small whitespace-nowrap text-soft">mh_…{hint}</code>
    </>
  )
}

function KeyAge({ apiKey: { createdAt, createdBy, expiresAt } }: { apiKey: Key }) {
  const over = useTimeLeft(expiresAt === null ? null : Date.parse(expiresAt)) === null
  return (
    <span className="block text-small text-soft">
      <span className="lg:inline-block">
        created <Time at={createdAt} />
        {createdBy !== null && (
          <>
            {' '}
            by <bdi>{createdBy.name}</bdi>
          </>
        )}
        ,
      </span>{' '}
      <span className="lg:whitespace-nowrap">
        {expiresAt === null ? (
          'never expires'
        ) : (
          <>
            {over ? 'expired' : 'expires'} <Time at={expiresAt} kind="future" />
          </>
        )}
      </span>
    </span>
  )
}

function KeyStatus({ apiKey, ban }: { apiKey: Key; ban: KeyBan | undefined }) {
  const state = keyState(apiKey, ban, Date.now())
  const left = useTimeLeft(state.is === 'expired' ? null : state.until)
  if (state.is === 'expired') return <Status tone="idle">Expired</Status>
  if (state.is === 'banned') return <Status tone="stopped">Banned, {left} left</Status>
  return <Status tone="live">Active</Status>
}

function RevokeKey({ apiKey: { id, name, lastUsedAt }, onClose }: { apiKey: Key; onClose: () => void }) {
  const revoke = useRevokeKey()
  const say = useToast()
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action="Revoke key"
      acting="Revoking…"
      onClose={onClose}
      onConfirm={async () => {
        await revoke.mutateAsync(id)
        onClose()
        focusPage()
        say({ words: `${name} was revoked.` })
      }}
    >
      <p>
        Programs that use this key stop working immediately.{' '}
        {lastUsedAt === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used <Time at={lastUsedAt} />.
          </>
        )}{' '}
        This cannot be undone: a new key has a different secret.
      </p>
    </Confirm>
  )
}
