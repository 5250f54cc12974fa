import {
  type ProtectionScope,
  protectionLimits,
  protectionScopeNames,
  protectionScopes,
} from '@masthead/contract/project-settings.ts'
import type { Project, Protection } from '@masthead/contract/schemas/project.ts'
import { useState } from 'react'
import { useProtection } from '../../../data/projects.ts'
import { Form } from '../../../form/form.tsx'
import { GuideLink } from '../../../guide-link.tsx'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { problemWords } from '../../../problem-words.ts'
import { Button } from '../../../ui/button.tsx'
import { RadioGroup } from '../../../ui/choices.tsx'
import { Field } from '../../../ui/field.tsx'
import { useToast } from '../../../ui/notices.tsx'
import { Empty, Page } from '../../../ui/page.tsx'
import { Time } from '../../../ui/time.tsx'
import { ReadOnlyNotice } from './settings-form.tsx'

export function ProtectionPage() {
  const project = useProject()
  const mayChange = useHasScope('deploy')
  const [adding, setAdding] = useState(false)
  const { protection } = project
  return (
    <Page
      title="Protection"
      intro={
        <>
          Visitors need a password. Members of this account sign in with Masthead instead.
          <GuideLink to="protection" />
        </>
      }
    >
      {!mayChange && <ReadOnlyNotice who="owners and developers" />}
      {protection === null && !adding && (
        <Empty title="Everyone can visit this site">
          <p>Set a password for the whole site, for previews only, or for some paths.</p>
          {mayChange && (
            <div className="mt-5">
              <Button look="primary" onClick={() => setAdding(true)}>
                Set a password
              </Button>
            </div>
          )}
        </Empty>
      )}
      {protection !== null && <Current protection={protection} />}
      {mayChange && (protection !== null || adding) && (
        <ProtectionForm
          key={protection?.passwordSetAt ?? 'new'}
          project={project}
          onDone={() => setAdding(false)}
        />
      )}
    </Page>
  )
}

function Current({ protection: { scope, paths, passwordSetAt } }: { protection: Protection }) {
  return (
    <p className="mb-8 max-w-[60ch]">
      {protectionScopes[scope]} {scope === 'previews' || scope === 'paths' ? 'need' : 'needs'} a password
      {scope === 'paths' && (
        <>
          : <span className="font-mono text-small wrap-anywhere">{paths.join(', ')}</span>
        </>
      )}
      . It was set <Time at={passwordSetAt} />. We store only a hash of it, so nobody can look it up.
    </p>
  )
}

const scopeHints: Record<ProtectionScope, string> = {
  site: 'On all domains.',
  previews: 'The live site stays open.',
  paths: 'With everything below them.',
}

function ProtectionForm({ project, onDone }: { project: Project; onDone: () => void }) {
  const { protection, slug } = project
  const { set, remove, restore } = useProtection(project)
  const say = useToast()
  const [scope, setScope] = useState<ProtectionScope>(protection?.scope ?? 'site')

  async function save({ password = '', note = '', paths = '' }: Record<string, string>) {
    await set.mutateAsync({
      ...{ scope, note },
      paths: scope === 'paths' ? paths.split(/[\s,]+/).filter((path) => path !== '') : [],
      ...(password !== '' && { password }),
    })
    const words = password === '' ? 'Protection was changed.' : `The password of ${slug} was set.`
    say({ words, of: `protection of ${slug}` })
    onDone()
  }

  async function unprotect() {
    try {
      await remove.mutateAsync()
      say({
        words: `Everyone can visit ${slug} now.`,
        undo: { of: `protection of ${slug}`, run: () => void undo() },
      })
    } catch (error) {
      say({ words: `The password was not removed. ${problemWords(error).what}` })
    }
  }

  async function undo() {
    try {
      await restore.mutateAsync()
      say({ words: `${slug} is protected by the same password again.` })
    } catch (error) {
      say({ words: `The password was not restored. ${problemWords(error).what}` })
    }
  }

  return (
    <Form
      onSubmit={save}
      submit={protection === null ? 'Protect' : 'Save'}
      submitting="Saving…"
      aside={
        protection === null ? (
          <Button look="quiet" onClick={onDone}>
            Cancel
          </Button>
        ) : (
          <Button look="quiet" pending={remove.isPending && 'Removing…'} onClick={unprotect}>
            Remove password
          </Button>
        )
      }
    >
      <RadioGroup
        name="scope"
        legend="What needs a password"
        value={scope}
        onChoose={setScope}
        choices={protectionScopeNames.map((value) => ({
          value,
          label: protectionScopes[value],
          hint: scopeHints[value],
        }))}
      />
      {scope === 'paths' && (
        <Field
          name="paths"
          label="Paths"
          placeholder="/members /drafts"
          hint={`Up to ${protectionLimits.paths}, separated by spaces.`}
          defaultValue={protection?.paths.join(' ') ?? ''}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      )}
      <Field
        name="password"
        type="password"
        label={protection === null ? 'Password' : 'New password'}
        hint={
          protection === null
            ? 'At least 8 characters. Visitors share it, so choose one that you use nowhere else.'
            : 'Leave it empty to keep the current one. A new one signs everybody out.'
        }
        minLength={protectionLimits.passwordMin}
        maxLength={protectionLimits.passwordBytes}
        autoComplete="new-password"
        required={protection === null}
      />
      <Field
        name="note"
        label="Note for visitors"
        hint="Shown on the sign-in page, such as whom to ask for the password."
        defaultValue={protection?.note ?? ''}
        maxLength={protectionLimits.noteLength}
        autoComplete="off"
      />
    </Form>
  )
}
