import type { Account } from '@masthead/contract/schemas/account.ts'
import { useRenameAccount } from '../../data/account.ts'
import { Form } from '../../form/form.tsx'
import { problemWords } from '../../problem-words.ts'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { useToast } from '../../ui/toasts.tsx'

/** What the account is called, for its owners to change. */
export function AccountName({ account }: { account: Account }) {
  const rename = useRenameAccount()
  const say = useToast()

  async function submit(name: string) {
    const before = account.name
    if (name.trim() === before) return
    const { name: after } = await rename.mutateAsync(name)
    say({
      words: `The account is called ${after} now.`,
      action: { label: 'Undo', run: () => void back(before) },
    })
  }

  async function back(name: string) {
    try {
      await rename.mutateAsync(name)
      say({ words: `The account is called ${name} again.` })
    } catch (error) {
      say({ words: `It was not undone. ${problemWords(error).what}` })
    }
  }

  return (
    <Section title="Account name" lede="Stands at the top of every page, and in invitations.">
      <div className="max-w-[420px]">
        <Form look="plain" submit="Rename" submitting="Renaming…" onSubmit={({ name = '' }) => submit(name)}>
          <Field
            // A name that is changed elsewhere, or taken back, is shown as it is.
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
