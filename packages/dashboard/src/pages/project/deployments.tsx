import {
  branchRetentionDays,
  deploymentSource,
  deploymentTitle,
  retainedDeployments,
} from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { useRef } from 'react'
import { Link } from 'react-router'
import { TerminalCommand } from '../../api/terminal-command.tsx'
import { useDeployments } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { useHasScope } from '../../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { paths } from '../../paths.ts'
import { filesWord } from '../../publish/upload-view.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { RuledList } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ActivateButton, DeploymentStatus } from './activate-button.tsx'
import { deploymentName } from './deployment-words.ts'

export function DeploymentsPage() {
  const { slug } = useProject()
  const list = useDeployments(slug)
  return (
    <Page
      title="Deployments"
      intro={`Deployments are immutable. We keep the latest ${retainedDeployments}, plus the live one and the newest of each branch for ${branchRetentionDays} days.`}
    >
      <Loaded query={list}>
        {(deployments) =>
          deployments.length === 0 ? (
            <NoDeploymentsYet slug={slug} />
          ) : (
            <>
              <RuledList label="Deployments">
                {deployments.map((deployment) => (
                  <DeploymentRow key={deployment.id} deployment={deployment} />
                ))}
              </RuledList>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function DeploymentRow({ deployment }: { deployment: Deployment }) {
  const { id, state, url, files, bytes, createdBy, createdAt } = deployment
  const { slug } = useProject()
  // Rows without the button reserve its space, so that the columns line up.
  const mayDeploy = useHasScope('deploy')
  const link = useRef<HTMLAnchorElement>(null)
  const name = deploymentName(deployment)
  const source = deploymentSource(deployment.meta)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4.5">
      <div className="min-w-0 grow basis-80">
        <h2 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-sans tracking-normal">
          <Link
            ref={link}
            to={paths.deployment(slug, id)}
            className="min-w-0 text-body font-medium wrap-anywhere decoration-edge underline-offset-3 hover:underline"
          >
            <bdi>{name}</bdi>
          </Link>
          <DeploymentStatus deployment={deployment} />
        </h2>
        <p className="mt-1 text-small text-soft wrap-anywhere">
          {source !== '' && `${source} · `}
          {state === 'uploading' ? (
            <>
              Upload of {filesWord(files)} started <Time at={createdAt} /> by {createdBy}. It can go live once
              all files are uploaded.
            </>
          ) : (
            <>
              Created <Time at={createdAt} /> by {createdBy} · {filesWord(files)}, {formatBytes(bytes)}
            </>
          )}
        </p>
        <p className="mt-0.5 font-mono text-small text-soft">{id}</p>
      </div>
      {state === 'ready' && (
        <div className="-ml-4 flex shrink-0 flex-wrap items-center gap-2 sm:ml-0">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`Preview ${deploymentTitle(deployment.meta) ?? id}`}
            className={buttonClass('quiet')}
          >
            Preview <span aria-hidden="true">&nbsp;↗</span>
          </a>
          <div className={`flex justify-end ${mayDeploy ? 'sm:min-w-[144px]' : ''}`}>
            <ActivateButton deployment={deployment} onLive={() => link.current?.focus()} />
          </div>
        </div>
      )}
    </li>
  )
}

function NoDeploymentsYet({ slug }: { slug: string }) {
  const allowed = useHasScope('deploy')
  if (!allowed) {
    return (
      <Empty title="Nothing published yet">
        Deployments appear here once an owner or developer of this account publishes the site.
      </Empty>
    )
  }
  return (
    <Empty title="Nothing published yet">
      <p>
        Deployments appear here, each with its own preview. Drop a folder on the project overview, or run this
        in any terminal with Node.js 20 or newer:
      </p>
      <div className="mt-4 max-w-[720px] text-ink">
        <TerminalCommand command={`deploy ./some-folder --project ${slug}`} />
      </div>
    </Empty>
  )
}
