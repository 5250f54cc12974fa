import type { TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import { type PublisherPreset, publisherPresets } from '@masthead/contract/trust/trusted-publishers.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useRemoveTrustedPublisher, useTrustedPublishers } from '../../data/keys.ts'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { Button, RowAction } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useHashDialog } from '../../ui/url-state.ts'
import { NewPipeline } from './new-pipeline.tsx'

export function Pipelines() {
  const adding = useHashDialog('trust')
  const list = useTrustedPublishers()
  const [removing, setRemoving] = useState<TrustedPublisher | null>(null)
  return (
    <Section
      title="Trusted pipelines"
      intro="A trusted pipeline deploys without a stored key: each run gets one for ten minutes."
      aside={<Button onClick={adding.open}>Trust a pipeline</Button>}
    >
      <Loaded query={list}>
        {(pipelines) =>
          pipelines.length === 0 ? (
            <p className="max-w-[60ch] text-soft">
              No trusted pipelines yet. Trust a repository at GitHub, GitLab or Forgejo, and it can deploy to
              one project without a secret.
            </p>
          ) : (
            <>
              <Table label="Trusted pipelines" columns={['Pipeline', 'Project', 'Last used', '']}>
                {pipelines.map((pipeline) => (
                  <Row key={pipeline.id}>
                    <Cell>
                      <span className="font-medium">{providerOf(pipeline)}</span>
                      <Claims claims={pipeline.claims} />
                    </Cell>
                    <Cell of="Project">{pipeline.project.slug}</Cell>
                    <Cell of="Last used" oneLine>
                      {pipeline.lastUsedAt === null ? 'never' : <Time at={pipeline.lastUsedAt} />}
                    </Cell>
                    <Cell end oneLine>
                      <RowAction
                        label={`Remove ${providerOf(pipeline)} for ${pipeline.project.slug}`}
                        onClick={() => setRemoving(pipeline)}
                      >
                        Remove
                      </RowAction>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      {adding.isOpen && <NewPipeline onClose={adding.close} />}
      {removing !== null && <RemovePipeline pipeline={removing} onClose={() => setRemoving(null)} />}
    </Section>
  )
}

function providerOf({ issuer }: TrustedPublisher): string {
  const presets: PublisherPreset[] = Object.values(publisherPresets)
  return presets.find((preset) => preset.issuer === issuer)?.title ?? new URL(issuer).host
}

function Claims({ claims }: Pick<TrustedPublisher, 'claims'>) {
  return (
    <span className="block text-small text-soft">
      {Object.entries(claims).map(([name, value]) => (
        <span key={name} className="block break-all">
          {name} <code className="font-mono">{value}</code>
        </span>
      ))}
    </span>
  )
}

function RemovePipeline({ pipeline, onClose }: { pipeline: TrustedPublisher; onClose: () => void }) {
  const remove = useRemoveTrustedPublisher()
  const say = useToast()
  const { id, project } = pipeline
  return (
    <Confirm
      title="Stop trusting this pipeline?"
      action="Remove"
      acting="Removing…"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(id)
        onClose()
        focusPage()
        say({ words: `${providerOf(pipeline)} can no longer deploy to ${project.slug}.` })
      }}
    >
      <p>
        {providerOf(pipeline)} can no longer deploy to {project.slug}. A run that is deploying now fails. You
        can add it again at any time.
      </p>
    </Confirm>
  )
}
