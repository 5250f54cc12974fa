import type { Project } from '@masthead/contract/schemas/project.ts'
import { useRef } from 'react'
import { Button } from '../../../../../ui/button.tsx'
import { Field, FieldErrors } from '../../../../../ui/field.tsx'
import type { Redirect } from '../config/config.ts'
import type { ProjectNames } from '../project-names.tsx'
import { AddFailure, NextActionLink } from './next-action.tsx'
import { Understood } from './typed-hostname.tsx'
import { useAddForm } from './use-add-form.ts'
import { WwwPairChoice } from './www-pair-choice.tsx'

interface AddDomainProps {
  project: Project
  names: ProjectNames
  redirects: Redirect[]
  onAdded: (hostname: string) => void
}

/** Accepts a domain as people type and paste it, shows how it was understood, and offers its www pair. */
export function AddDomain({
  project: { slug, activeDeployment },
  names,
  redirects,
  onAdded,
}: AddDomainProps) {
  const form = useRef<HTMLFormElement>(null)
  const add = useAddForm({ slug, names, redirects, onAdded })
  const { check, wwwPair, refusal } = add
  const next = refusal?.next ?? null
  // Something else has to happen before any domain can be added.
  const isBlocked = next !== null && next !== 'move'

  async function submit(move: boolean) {
    if (!(await add.submit(move))) form.current?.querySelector('input')?.focus()
  }

  return (
    <form
      ref={form}
      noValidate
      aria-label="Add a domain"
      className="mb-8"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(false)
      }}
    >
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <FieldErrors value={add.fieldError === null ? {} : { hostname: add.fieldError }}>
            <Field
              name="hostname"
              label="Domain"
              labelHidden
              placeholder="docs.example.com"
              value={add.typed}
              onChange={({ target }) => add.type(target.value)}
              autoComplete="off"
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              inputMode="url"
              enterKeyHint="go"
              hint={activeDeployment === null ? 'Publish this project before you add a domain.' : undefined}
            />
          </FieldErrors>
        </div>
        <Button type="submit" look="primary" pending={add.pending && 'Adding…'}>
          Add domain
        </Button>
      </div>
      {next !== null && (
        <div className="not-empty:mt-2.5">
          <NextActionLink
            next={next}
            slug={slug}
            hostname={check?.hostname}
            moving={add.pending}
            onMove={() => void submit(true)}
          />
        </div>
      )}
      {add.fieldError === null && <Understood text={add.understood} attached={add.known} />}
      {wwwPair !== null && check !== undefined && !isBlocked && (
        <div className="fade-in mt-3">
          <WwwPairChoice
            name={check.unicode}
            wwwPair={wwwPair}
            end={names.shown(wwwPair.end)}
            pairChoice={add.pairChoice}
            onChange={add.setPairChoice}
          />
        </div>
      )}
      {add.added !== undefined && (
        <div className="not-empty:mt-4">
          <AddFailure added={add.added} wwwPair={add.requestedPair?.unicode ?? ''} />
        </div>
      )}
    </form>
  )
}
