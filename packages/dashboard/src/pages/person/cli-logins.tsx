import type { CliLogin } from '@masthead/contract/schemas/people.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useCliLogins, useRevokeCliLogin } from '../../data/person.ts'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { RowAction } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

export function CliLogins() {
  const list = useCliLogins()
  const [revoking, setRevoking] = useState<CliLogin | null>(null)
  return (
    <Section
      title="CLI logins"
      intro="Where you approved masthead login. They don't expire: revoke those you don't recognize or no longer use."
    >
      <Loaded query={list}>
        {(logins) =>
          logins.length === 0 ? (
            <p className="text-soft">No CLI logins.</p>
          ) : (
            <>
              <Table label="CLI logins" columns={['Login', 'Account', 'Last used', 'Created', '']}>
                {logins.map((login) => (
                  <Row key={login.id}>
                    <Cell>
                      <bdi className="font-medium">{login.name}</bdi>
                    </Cell>
                    <Cell of="Account">
                      <bdi>{login.account.name}</bdi>
                    </Cell>
                    <Cell of="Last used" oneLine>
                      {login.lastUsedAt === null ? 'never' : <Time at={login.lastUsedAt} />}
                    </Cell>
                    <Cell of="Created" oneLine>
                      <Time at={login.createdAt} />
                    </Cell>
                    <Cell end oneLine>
                      <RowAction label={`Revoke ${login.name}`} onClick={() => setRevoking(login)}>
                        Revoke
                      </RowAction>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      {revoking !== null && <RevokeLogin login={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  )
}

function RevokeLogin({ login, onClose }: { login: CliLogin; onClose: () => void }) {
  const revoke = useRevokeCliLogin()
  const say = useToast()
  return (
    <Confirm
      title="Revoke this login?"
      action="Revoke login"
      acting="Revoking…"
      onClose={onClose}
      onConfirm={async () => {
        await revoke.mutateAsync(login.id)
        onClose()
        focusPage()
        say({ words: `${login.name} was revoked.` })
      }}
    >
      <p>
        <bdi>{login.name}</bdi> can no longer act for you in <bdi>{login.account.name}</bdi>. Run masthead
        login there to sign in again.
      </p>
    </Confirm>
  )
}
