import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'

interface DiscardDialogProps {
  onKeep: () => void
  onDiscard: () => void
}

/** Asks before what somebody typed is lost. */
export function DiscardDialog({ onKeep, onDiscard }: DiscardDialogProps) {
  return (
    <Dialog title="Discard your changes?" onClose={onKeep}>
      <p className="text-soft">What you entered has not been saved.</p>
      <DialogActions>
        <Button look="quiet" onClick={onDiscard}>
          Discard
        </Button>
        <Button look="primary" onClick={onKeep}>
          Keep editing
        </Button>
      </DialogActions>
    </Dialog>
  )
}
