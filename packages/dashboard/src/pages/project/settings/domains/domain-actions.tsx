import { instructionsText, mailto } from '@masthead/contract/domains/record-formats/instructions.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useReverify, useVerify } from '../../../../data/domains.ts'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useHasScope } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { ProblemNotice } from '../../../../problem-notice.tsx'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Copy } from '../../../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../../../ui/dialog.tsx'
import { verifyAnswer } from './state/check-words.ts'
import type { OfferedActions } from './state/offered-actions.ts'

interface DomainActionsProps {
  domain: Domain
  offered: OfferedActions
  /** Shown at the right. */
  children: ReactNode
}

export function DomainActions({ domain, offered, children }: DomainActionsProps) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const verify = useVerify(slug, domain.hostname)
  const reverify = useReverify(slug, domain.hostname)
  const [sending, setSending] = useState(false)
  const answer = verify.data ?? reverify.data
  // A later automatic check is more recent than this answer.
  const isLatest = answer !== undefined && answer.lastCheck?.at === domain.lastCheck?.at
  const error = verify.error ?? reverify.error
  return (
    <div className="mt-4">
      <div className="flex flex-wrap items-center gap-2">
        {mayChange && offered.verify !== null && (
          <Button
            look={offered.verify}
            aria-label={`Verify now: ${domain.unicode}`}
            pending={verify.isPending && 'Checking…'}
            onClick={() => {
              reverify.reset()
              verify.mutate()
            }}
          >
            Verify now
          </Button>
        )}
        {mayChange && offered.reverify !== null && (
          <Button
            look={offered.reverify}
            aria-label={`Re-verify: ${domain.unicode}`}
            pending={reverify.isPending && 'Checking…'}
            onClick={() => {
              verify.reset()
              reverify.mutate()
            }}
          >
            Re-verify
          </Button>
        )}
        {offered.instructions && (
          <Button aria-label={`Send instructions for ${domain.unicode}`} onClick={() => setSending(true)}>
            Send instructions
          </Button>
        )}
        <p role="status" className="text-small text-soft not-empty:px-1.5">
          {isLatest && verifyAnswer(answer, verify.data === undefined ? 'reverify' : 'verify')}
        </p>
        {children}
      </div>
      {error !== null && (
        <div className="mt-3">
          <ProblemNotice error={error} />
        </div>
      )}
      {sending && <SendInstructions domain={domain} onClose={() => setSending(false)} />}
    </div>
  )
}

/** Instructions for the person who manages DNS, who is often someone else. */
function SendInstructions({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { slug } = useProject()
  const instructions = instructionsText(domain)
  return (
    <Dialog title="Send instructions" onClose={onClose}>
      <p className="text-soft">
        For the person who manages DNS for {domain.unicode}. They don't need an account here.{' '}
        <Link to={paths.domainRecords(slug, domain.hostname)} className="link">
          Zone file, Terraform and others
        </Link>
      </p>
      <div className="relative mt-4">
        <pre className="max-h-80 overflow-auto rounded-sheet border border-hairline bg-wash p-4 pr-20 font-mono text-small whitespace-pre-wrap wrap-anywhere">
          {instructions.body}
        </pre>
        <div className="absolute top-3 right-3">
          <Copy text={instructions.body} what="the instructions" />
        </div>
      </div>
      <DialogActions>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
        <a href={mailto(instructions)} className={buttonClass('primary')}>
          Open in email
        </a>
      </DialogActions>
    </Dialog>
  )
}
