import type { Project } from '@masthead/contract/schemas/project.ts'
import { useRef } from 'react'
import { Button } from '../../../../../ui/button.tsx'
import { Field, FieldFaults } from '../../../../../ui/field.tsx'
import type { Redirect } from '../config/config.ts'
import type { ProjectNames } from '../project-names.tsx'
import { AddTrouble, NextActionLink } from './next-action.tsx'
import { Understood } from './typed-hostname.tsx'
import { useAddForm } from './use-add-form.ts'
import { WwwPairChoice } from './www-pair-choice.tsx'

interface AddDomainProps {
  project: Project
  names: ProjectNames
  redirects: Redirect[]
  onAdded: (hostname: string) => void
}

/** Takes a name as people type and paste it, says how it is understood, and offers its twin. */
export function AddDomain({
  project: { slug, activeDeployment },
  names,
  redirects,
  onAdded,
}: AddDomainProps) {
  const form = useRef<HTMLFormElement>(null)
  const add = useAddForm({ slug, names, redirects, onAdded })
  const { check, twin, refusal } = add
  const way = refusal?.way ?? null
  // There is something to do elsewhere before any name can be added.
  const isStopped = way !== null && way !== 'move'

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
          <FieldFaults value={add.fault === null ? {} : { hostname: add.fault }}>
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
              hint={
                activeDeployment === null
                  ? 'This project has nothing to show yet. Publish it first.'
                  : undefined
              }
            />
          </FieldFaults>
        </div>
        <Button type="submit" look="primary" pending={add.pending && 'Adding…'}>
          Add domain
        </Button>
      </div>
      {way !== null && (
        <div className="not-empty:mt-2.5">
          <NextActionLink
            way={way}
            slug={slug}
            hostname={check?.hostname}
            moving={add.pending}
            onMove={() => void submit(true)}
          />
        </div>
      )}
      {add.fault === null && <Understood text={add.understood} attached={add.known} />}
      {twin !== null && check !== undefined && !isStopped && (
        <div className="fade-in mt-3">
          <WwwPairChoice
            name={check.unicode}
            twin={twin}
            end={names.shown(twin.end)}
            wish={add.wish}
            onChange={add.setWish}
          />
        </div>
      )}
      {add.added !== undefined && (
        <div className="not-empty:mt-4">
          <AddTrouble added={add.added} twin={add.askedTwin?.unicode ?? ''} />
        </div>
      )}
    </form>
  )
}
