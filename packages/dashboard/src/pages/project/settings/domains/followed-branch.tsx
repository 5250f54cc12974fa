import { metaMaxLength } from '@masthead/contract/deployments.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { useChangeDomain } from '../../../../data/domains.ts'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useHasScope } from '../../../../layout/signed-in.tsx'
import { Field } from '../../../../ui/field.tsx'
import { DraftForm, useDraft } from '../settings-form.tsx'

/** Which branch the domain shows. */
export function FollowedBranch({ domain }: { domain: Domain }) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const change = useChangeDomain(slug, domain.hostname)
  const { values, changed, saved, set, taken } = useDraft({ branch: domain.branch ?? '' })
  if (!mayChange) return <p>{domain.branch ?? 'What is live'}</p>

  async function save() {
    if (!changed) return
    const branch = values.branch.trim()
    await change.mutateAsync({ branch: branch === '' ? null : branch })
    taken()
  }

  return (
    <DraftForm draft={{ changed, saved }} onSubmit={save}>
      <Field
        name="branch"
        label="Branch"
        maxLength={metaMaxLength.branch}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={values.branch}
        onChange={({ target }) => set({ branch: target.value })}
        hint="The domain shows the newest deployment of this branch. Leave it empty to show what is live."
      />
    </DraftForm>
  )
}
