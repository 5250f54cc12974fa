import { useProofActions } from '../../data/domains.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Field } from '../../ui/field.tsx'

export function NewProof({ onClose }: { onClose: () => void }) {
  const { start } = useProofActions()
  return (
    <FormDialog
      title="Prove domain"
      onClose={onClose}
      submit="Show the record"
      submitting="Creating…"
      onSubmit={async ({ domain = '' }) => {
        await start.mutateAsync(domain)
        onClose()
      }}
    >
      <Field
        name="domain"
        label="Domain"
        required
        maxLength={1_000}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="acme.com"
        hint="The domain you registered, or a part of it with its own nameservers."
      />
    </FormDialog>
  )
}
