import type { OperatorBan } from '@masthead/contract/schemas/operator.ts'
import { useLiftBan } from '../../../data/operator.ts'
import { problemWords } from '../../../problem-words.ts'
import { Button } from '../../../ui/button.tsx'
import { Countdown } from '../../../ui/countdown.tsx'
import { focusPage } from '../../../ui/focus-page.ts'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toasts.tsx'
import { AccountLink } from '../account-link.tsx'

export function BansTable({ bans }: { bans: readonly OperatorBan[] }) {
  return (
    <Table label="Banned keys" columns={['Key', 'Account', 'Why', 'Ends', '']}>
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
      <Cell of="Why">
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

/** Done without a question: a client that goes on like before is banned again by itself. */
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
      aria-label={`Lift the ban of ${keyName}`}
      pending={lift.isPending && 'Lifting…'}
      onClick={() => void run()}
    >
      Lift
    </Button>
  )
}
