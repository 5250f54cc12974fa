import type { ComponentProps } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form } from './form.tsx'

interface FormDialogProps extends Omit<ComponentProps<typeof Form>, 'aside' | 'wide' | 'look'> {
  title: string
  onClose: () => void
}

/** A form in a dialog, with the way out before its button. */
export function FormDialog({ title, onClose, ...form }: FormDialogProps) {
  const cancel = (
    <Button look="quiet" onClick={onClose}>
      Cancel
    </Button>
  )
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} aside={cancel} />
    </Dialog>
  )
}
