import type { OperatorBan } from '@masthead/contract/schemas/operator.ts'
import { useBans, useLiftBan } from '../../data/operator.ts'
import { GuideLink } from '../../guide-link.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { problemWords } from '../../problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Countdown, Time } from '../../ui/time.tsx'
import { AccountLink } from './account-link.tsx'

export function OperatorBansPage() {
  const list = useBans()
  return (
    <Page
      title="Bans"
      intro={
        <>
          Keys that keep sending requests after a 429 are banned temporarily. Bans end automatically.
          <GuideLink to="bans" />
        </>
      }
    >
      <Loaded query={list}>
        {(bans) =>
          bans.length === 0 ? (
            <Empty title="No banned keys">Banned keys appear here, with the reason and the time left.</Empty>
          ) : (
            <>
              <BansTable bans={bans} />
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function BansTable({ bans }: { bans: readonly OperatorBan[] }) {
  return (
    <Table label="Banned keys" columns={['Key', 'Account', 'Reason', 'Ends', '']}>
      {bans.map((ban) => (
        <BanRow key={ban.keyId} ban={ban} />
      ))}
    </Table>
  )
}

function BanRow({ ban }: { ban: OperatorBan }) {
  const { keyName, accountName, violations, since, until } = ban
  const requests = violations === 1 ? '1 request' : `${violations.toLocaleString('en')} requests`
  return (
    <Row>
      <Cell of="Key">
        <span className="font-medium">{keyName}</span>
        <span className="block text-small text-soft">
          banned <Time at={since} />
        </span>
      </Cell>
      <Cell of="Account">
        <AccountLink name={accountName} />
      </Cell>
      <Cell of="Reason">
        {requests} arrived before <code className="font-mono text-small">Retry-After</code> had passed
      </Cell>
      <Cell of="Ends" oneLine>
        <Countdown to={until} before="in " over="now" />
      </Cell>
      <Cell end>
        <LiftBan ban={ban} />
      </Cell>
    </Row>
  )
}

/** Does not ask first: a client that keeps misbehaving is banned again. */
function LiftBan({ ban: { keyId, keyName } }: { ban: OperatorBan }) {
  const lift = useLiftBan(keyId)
  const say = useToast()

  async function run() {
    try {
      await lift.mutateAsync()
      focusPage()
      say({ words: `${keyName} is no longer banned.` })
    } catch (error) {
      const { what, fix } = problemWords(error)
      say({ words: `${keyName} is still banned. ${what} ${fix}` })
    }
  }

  return (
    <Button
      aria-label={`Lift ban on ${keyName}`}
      pending={lift.isPending && 'Lifting…'}
      onClick={() => void run()}
    >
      Lift ban
    </Button>
  )
}
