import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { Copy } from '../../../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../../../ui/dialog.tsx'
import { instructionsText, mailto } from './instructions.ts'

/** The records as a text for whoever runs the DNS, who is often somebody else. */
export function SendInstructions({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const instructions = instructionsText(domain)
  return (
    <Dialog title="Send instructions" onClose={onClose}>
      <p className="text-soft">
        For whoever runs the DNS of {domain.unicode}. It says all that they need to know, without an account
        here.
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
          Write an email
        </a>
      </DialogActions>
    </Dialog>
  )
}
