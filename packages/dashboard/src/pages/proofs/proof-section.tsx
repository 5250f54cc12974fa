import { type ProofState, proofStates } from '@masthead/contract/domains/proofs.ts'
import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useProofActions } from '../../data/domains.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { Notice, useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Fact, Facts } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const tones = { proved: 'live', pending: 'waiting', drifted: 'waiting', ended: 'stopped' } as const

export function ProofSection({ proof, mayChange }: { proof: Proof; mayChange: boolean }) {
  const { verify } = useProofActions()
  const say = useToast()
  const [isRemoving, setRemoving] = useState(false)
  const { domain, unicode, state, record, lastCheck } = proof
  const check = async () => {
    await verify.mutateAsync(domain).then(
      (checked) => say({ words: resultWords(checked) }),
      () => say({ words: 'That did not work. Try again.' }),
    )
  }
  return (
    <Section title={unicode} aside={<Status tone={tones[state]}>{proofStates[state].title}</Status>}>
      {state !== 'proved' &&
        lastCheck?.findings.map((finding) => (
          <div key={finding.code} className="mb-4">
            <Notice tone={state === 'ended' ? 'stopped' : 'waiting'} title={finding.message}>
              {finding.fix}
            </Notice>
          </div>
        ))}
      <Facts>
        <Fact name="Type">
          <code className="font-mono text-small">{record.type}</code>
        </Fact>
        <Fact name="Name">
          <Copyable text={record.name} what={`the name ${record.name}`} />
        </Fact>
        <Fact name="Value">
          <Copyable text={record.value} what="the value" />
        </Fact>
        <Fact name="Last check">{lastCheck === null ? 'not yet' : <Time at={lastCheck.at} />}</Fact>
        <When proof={proof} />
      </Facts>
      <p className="mt-3 max-w-[60ch] text-soft">{explanations[state]}</p>
      {mayChange && (
        <div className="mt-4 flex flex-wrap gap-3">
          <Button onClick={check} pending={verify.isPending && 'Checking…'}>
            Check now
          </Button>
          <Button look="quiet" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </div>
      )}
      {isRemoving && <RemoveProof proof={proof} onClose={() => setRemoving(false)} />}
    </Section>
  )
}

function When({ proof: { state, provedAt, endsAt } }: { proof: Proof }) {
  if (state === 'proved' && provedAt !== null) {
    return (
      <Fact name="Proved">
        <Time at={provedAt} />
      </Fact>
    )
  }
  if (endsAt === null) return null
  return (
    <Fact name={state === 'drifted' ? 'Proof ends' : 'Checked until'}>
      <Time at={endsAt} kind="future" />
    </Fact>
  )
}

const explanations = {
  pending: 'Add this record to the DNS of the domain. We look for it automatically.',
  proved: 'Keep the record in DNS: we check it daily. Domains below it need no other proof.',
  drifted: 'The record is gone from DNS. Add it again, or the proof ends.',
  ended: 'Add this record to the DNS of the domain, then check it.',
} satisfies Record<ProofState, string>

function resultWords({ unicode, state, lastCheck }: Proof): string {
  if (state === 'proved') return `${unicode} is proved.`
  return lastCheck?.outcome === 'unclear'
    ? `We couldn't reach the DNS of ${unicode}.`
    : 'The record is not there yet.'
}

function RemoveProof({ proof: { domain, unicode }, onClose }: { proof: Proof; onClose: () => void }) {
  const { remove } = useProofActions()
  const say = useToast()
  return (
    <Confirm
      title={`Remove the proof of ${unicode}?`}
      action="Remove proof"
      acting="Removing…"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(domain)
        onClose()
        focusPage()
        say({ words: 'The proof was removed. Remove its TXT record too.' })
      }}
    >
      <p>
        Your domains stay live, but others can then add names below {unicode} if they control its DNS. Proving
        it again needs a new record.
      </p>
    </Confirm>
  )
}
