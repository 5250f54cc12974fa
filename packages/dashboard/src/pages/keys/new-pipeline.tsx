import {
  type PublisherPreset,
  presetClaims,
  presetNames,
  publisherPresets,
  trustLimits,
} from '@masthead/contract/trust/trusted-publishers.ts'
import { useState } from 'react'
import { useAddTrustedPublisher } from '../../data/keys.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { useToast } from '../../ui/notices.tsx'

export function NewPipeline({ onClose }: { onClose: () => void }) {
  const add = useAddTrustedPublisher()
  const say = useToast()
  const [provider, setProvider] = useState(presetNames[0])
  const preset: PublisherPreset = publisherPresets[provider]
  return (
    <FormDialog
      title="Trust a pipeline"
      onClose={onClose}
      submit="Trust pipeline"
      submitting="Saving…"
      onSubmit={async ({ issuer = '', repository = '', branch = '', environment = '', project = '' }) => {
        const claims = presetClaims(provider, { repository, branch, environment })
        const added = await add.mutateAsync({ issuer: preset.issuer ?? issuer, claims, project })
        onClose()
        say({ words: `${preset.title} can deploy to ${added.project.slug}.` })
      }}
    >
      <Select
        label="Provider"
        name="provider"
        value={provider}
        onChange={({ target }) => setProvider(presetNames.find((name) => name === target.value) ?? provider)}
        hint="For your own GitLab or another issuer, use masthead trust."
      >
        {presetNames.map((name) => (
          <option key={name} value={name}>
            {publisherPresets[name].title}
          </option>
        ))}
      </Select>
      {preset.issuer === null && (
        <Field
          name="issuer"
          type="url"
          label="Issuer"
          required
          maxLength={trustLimits.issuerLength}
          placeholder={preset.issuerExample}
          hint="The address of your server, followed by /api/actions."
        />
      )}
      <Field
        name="repository"
        label="Repository"
        required
        maxLength={trustLimits.claimValueLength}
        autoComplete="off"
        placeholder={preset.repository.example}
        hint="Exactly as the provider writes it."
      />
      <Field
        name="branch"
        label="Branch"
        maxLength={200}
        autoComplete="off"
        placeholder="main"
        hint="Leave it empty to let every branch publish previews."
      />
      {preset.environment !== null && (
        <Field
          name="environment"
          label="Environment"
          maxLength={200}
          autoComplete="off"
          placeholder="production"
          hint="Leave it empty if your jobs have none."
        />
      )}
      <Field
        name="project"
        label="Project"
        required
        maxLength={60}
        autoComplete="off"
        placeholder="my-site"
      />
    </FormDialog>
  )
}
