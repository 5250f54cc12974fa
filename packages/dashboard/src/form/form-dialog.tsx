import { type ComponentProps, useState } from 'react'
import { CancelButton, Dialog } from '../ui/dialog.tsx'
import { Form } from './form.tsx'
import { DiscardDialog } from './unsaved-changes.tsx'

interface FormDialogProps extends Omit<ComponentProps<typeof Form>, 'aside' | 'wide' | 'look' | 'onChanged'> {
  title: string
  onClose: () => void
}

/** A form in a dialog. Escape may be a slip, so it asks before discarding changes. */
export function FormDialog({ title, onClose, ...form }: FormDialogProps) {
  const [isChanged, setChanged] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const cancel = <CancelButton onClick={onClose} />
  return (
    <>
      <Dialog title={title} onClose={() => (isChanged ? setAsking(true) : onClose())}>
        <Form {...form} aside={cancel} onChanged={setChanged} />
      </Dialog>
      {isAsking && <DiscardDialog onKeep={() => setAsking(false)} onDiscard={onClose} />}
    </>
  )
}
