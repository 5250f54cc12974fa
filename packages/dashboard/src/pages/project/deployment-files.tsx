import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { useState } from 'react'
import { type DeploymentFile, useDeploymentFiles } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { filesWords, filterFiles } from './deployment-words.ts'

export function DeploymentFiles({ deployment }: { deployment: Deployment }) {
  const { slug } = useProject()
  const { id, files: all, bytes } = deployment
  const [filter, setFilter] = useState('')
  const list = useDeploymentFiles({ slug, id })
  return (
    <Section title="Files">
      <Loaded query={list}>
        {(files) => {
          if (files.length === 0) return <p className="text-soft">Files are listed once they are uploaded.</p>
          const shown = filterFiles(files, filter)
          return (
            <>
              {all > 1 && (
                <Field
                  name="filter"
                  type="search"
                  label="Filter by path"
                  placeholder="images .svg"
                  autoComplete="off"
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                />
              )}
              <p role="status" className="my-3 text-small text-soft">
                {filesWords({ shown: shown.length, loaded: files.length, all, bytes })}
              </p>
              {shown.length > 0 && <FileTable files={shown} />}
              <ShowMore list={list} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

function FileTable({ files }: { files: readonly DeploymentFile[] }) {
  return (
    <Table label="Files" columns={['Path', 'Size']}>
      {files.map(({ path, size }) => (
        <Row key={path}>
          <Cell of="Path">
            <code className="font-mono text-small">{path}</code>
          </Cell>
          <Cell of="Size">
            <span className="whitespace-nowrap">{formatBytes(size)}</span>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
