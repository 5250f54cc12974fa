import { useProofs } from '../../data/domains.ts'
import { useHasScope } from '../../layout/signed-in.tsx'
import { Loaded } from '../../loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { useHashDialog } from '../../ui/url-state.ts'
import { NewProof } from './new-proof.tsx'
import { ProofSection } from './proof-section.tsx'

export function ProofsPage() {
  const adding = useHashDialog('new')
  const list = useProofs()
  const mayChange = useHasScope('domains')
  return (
    <Page
      title="Proved domains"
      intro={
        <>
          Prove a domain once, with one DNS record. Your projects can then use it and everything below it, and
          no other account can.{' '}
          <a className="link" href="/docs/domains#prove-a-whole-domain">
            How it works
          </a>
        </>
      }
      aside={
        mayChange && (
          <Button look="primary" onClick={adding.open}>
            Prove domain
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {(proofs) =>
          proofs.length === 0 ? (
            <Empty title="No proved domains yet">
              Custom domains work without it: each is then proved by its own record.
            </Empty>
          ) : (
            proofs.map((proof) => <ProofSection key={proof.domain} proof={proof} mayChange={mayChange} />)
          )
        }
      </Loaded>
      {adding.isOpen && <NewProof onClose={adding.close} />}
    </Page>
  )
}
