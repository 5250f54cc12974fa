import type { Project } from '@masthead/contract/schemas/project.ts'
import { useNavigate } from 'react-router'
import { useDeleteProject } from '../../../../data/project-change.ts'
import { Form } from '../../../../form/form.tsx'
import { paths } from '../../../../paths.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { Field } from '../../../../ui/field.tsx'
import { useToast } from '../../../../ui/toasts.tsx'
import { WhatGoes } from './what-goes.tsx'

interface DeleteDialogProps {
  project: Project
  onClose: () => void
}

export function DeleteDialog({ project, onClose }: DeleteDialogProps) {
  const remove = useDeleteProject(project)
  const navigate = useNavigate()
  const say = useToast()
  const { slug } = project

  async function confirmed() {
    await remove.mutateAsync()
    navigate(paths.projects(project.accountId), { replace: true })
    say({ words: `${slug} was deleted.` })
  }

  return (
    <Dialog title={`Delete ${slug}`} onClose={onClose}>
      <WhatGoes project={project} />
      <div className="mt-5">
        <Form
          onSubmit={confirmed}
          submit={`Delete ${slug} for good`}
          submitting="Deleting…"
          aside={
            <Button look="quiet" onClick={onClose}>
              Keep it
            </Button>
          }
        >
          <Field
            name="slug"
            label={`Type ${slug} to confirm`}
            required
            pattern={slug}
            title={`Type ${slug}, exactly as it is written.`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        </Form>
      </div>
    </Dialog>
  )
}
