import { useEndOtherSessions, useEndSession, usePersonSessions } from '../../data/person.ts'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { ProblemNotice } from '../../problem-notice.tsx'
import { Button, RowAction } from '../../ui/button.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { endedWords } from './profile.tsx'

export function Sessions() {
  const list = usePersonSessions()
  const end = useEndSession()
  const endOthers = useEndOtherSessions()
  const say = useToast()
  const failure = end.error ?? endOthers.error
  return (
    <Section
      title="Sessions"
      intro="Where you are signed in. Sessions end after 30 days without use, or after 90 days at most."
      aside={
        (list.data?.length ?? 0) > 1 && (
          <Button
            pending={endOthers.isPending && 'Signing out…'}
            onClick={() =>
              endOthers.mutate(undefined, {
                onSuccess: ({ sessionsEnded }) => say({ words: endedWords(sessionsEnded) }),
              })
            }
          >
            Sign out everywhere else
          </Button>
        )
      }
    >
      {failure !== null && <ProblemNotice error={failure} />}
      <Loaded query={list}>
        {(sessions) => (
          <>
            <Table label="Sessions" columns={['Browser', 'Address', 'Last used', 'Signed in', '']}>
              {sessions.map(({ id, browser, address, current, lastSeenAt, createdAt }) => (
                <Row key={id}>
                  <Cell>
                    <span className="font-medium">{browser ?? 'Unknown browser'}</span>{' '}
                    {current && <Badge>This session</Badge>}
                  </Cell>
                  <Cell of="Address">
                    <span className="font-mono text-small">{address ?? 'unknown'}</span>
                  </Cell>
                  <Cell of="Last used" oneLine>
                    <Time at={lastSeenAt} />
                  </Cell>
                  <Cell of="Signed in" oneLine>
                    <Time at={createdAt} />
                  </Cell>
                  <Cell end oneLine>
                    {!current && (
                      <RowAction
                        label={`Sign out ${browser ?? 'unknown browser'}`}
                        onClick={() => end.mutate(id)}
                      >
                        Sign out
                      </RowAction>
                    )}
                  </Cell>
                </Row>
              ))}
            </Table>
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
