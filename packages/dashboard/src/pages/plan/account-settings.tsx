import type { Account } from '@masthead/contract/schemas/account.ts'
import { useState } from 'react'
import { isProblem } from '../../api/client.ts'
import { useDeleteAccount, useRenameAccount } from '../../data/account.ts'
import { Form } from '../../form/form.tsx'
import { FormDialog } from '../../form/form-dialog.tsx'
import { paths } from '../../paths.ts'
import { problemWords } from '../../problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice, useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'

export function AccountName({ account }: { account: Account }) {
  const rename = useRenameAccount()
  const say = useToast()

  async function submit(name: string) {
    const before = account.name
    if (name.trim() === before) return
    const { name: after } = await rename.mutateAsync(name)
    say({
      words: `The account is now called ${after}.`,
      undo: { of: 'account name', run: () => void undo(before) },
    })
  }

  async function undo(name: string) {
    try {
      await rename.mutateAsync(name)
      say({ words: `The account is called ${name} again.` })
    } catch (error) {
      say({ words: `Couldn't undo. ${problemWords(error).what}` })
    }
  }

  return (
    <Section title="Account name" intro="Shown at the top of every page and in invitations.">
      <div className="max-w-[420px]">
        <Form look="plain" submit="Rename" submitting="Renaming…" onSubmit={({ name = '' }) => submit(name)}>
          <Field
            // Remounts the field when the name changes elsewhere or is undone.
            key={account.name}
            name="name"
            label="Account name"
            labelHidden
            defaultValue={account.name}
            required
            maxLength={80}
            autoComplete="organization"
          />
        </Form>
      </div>
    </Section>
  )
}

export function DeleteAccount({ account }: { account: Pick<Account, 'name'> }) {
  const [asking, setAsking] = useState(false)
  return (
    <section className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4 border-y border-t-ink border-b-hairline py-5">
      <div className="min-w-0 grow basis-80">
        <h2 className="text-section">Delete this account</h2>
        <p className="mt-1 max-w-[60ch] text-soft">
          Deletes its projects, domains, API keys and invitations immediately and permanently. Members can
          still sign in. Activity is kept for 30 days.
        </p>
      </div>
      <Button className="text-stopped" onClick={() => setAsking(true)}>
        Delete account…
      </Button>
      {asking && <DeleteDialog account={account} onClose={() => setAsking(false)} />}
    </section>
  )
}

function DeleteDialog({
  account: { name },
  onClose,
}: {
  account: Pick<Account, 'name'>
  onClose: () => void
}) {
  const remove = useDeleteAccount()
  const [domains, setDomains] = useState<readonly string[]>([])
  return (
    <FormDialog
      title={`Delete ${name}`}
      onClose={onClose}
      submit={domains.length === 0 ? 'Delete account' : 'Delete account and stop its domains'}
      submitting="Deleting…"
      onSubmit={async (values) => {
        try {
          await remove.mutateAsync({ name: values.name ?? '', removeDomains: domains.length > 0 })
          // A full reload, so that nothing of the account stays in memory.
          location.assign(paths.home())
        } catch (error) {
          if (!isProblem(error, 'account_has_domains')) throw error
          setDomains(namesIn(error.document))
        }
      }}
    >
      {domains.length > 0 && (
        <Notice tone="stopped" title="This account has live custom domains.">
          {domains.slice(0, 10).join(', ')}
          {domains.length > 10 && ` and ${domains.length - 10} more`} will stop working immediately. Links to
          them break unless you point their DNS elsewhere first.
        </Notice>
      )}
      <p className="text-soft">This cannot be undone.</p>
      <Field
        name="name"
        label={`Type ${name} to confirm`}
        required
        maxLength={200}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
      />
    </FormDialog>
  )
}

function namesIn(document: object): string[] {
  const names = 'domains' in document && Array.isArray(document.domains) ? document.domains : []
  return names.map(String)
}
