import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { SiteRule } from '@masthead/contract/schemas/site-rule.ts'
import { formatLocation } from '@masthead/contract/site-rules/findings.ts'
import { useDeferredValue, useState } from 'react'
import { useDeploymentRules } from '../../data/deployments.ts'
import { GuideLink } from '../../guide-link.tsx'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { ruleConditions } from './deployment-words.ts'

/** Below it, a list needs no filter. */
const fewRules = 10

export function DeploymentRules({ deployment }: { deployment: Deployment }) {
  const { slug } = useProject()
  const { id, diagnostics } = deployment
  const [filter, setFilter] = useState('')
  const contains = useDeferredValue(filter.trim())
  const list = useDeploymentRules({ slug, id, contains })
  return (
    <Section
      title="Rules"
      intro={
        <>
          From the files of this deployment.
          <GuideLink to="rules" />
        </>
      }
    >
      <Loaded query={list}>
        {(rules) => (
          <>
            {(filter !== '' || rules.length > fewRules) && (
              <div className="mb-3">
                <Field
                  name="rules"
                  type="search"
                  label="Filter rules"
                  placeholder="/blog or cache-control"
                  autoComplete="off"
                  maxLength={200}
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                />
              </div>
            )}
            {rules.length > 0 && <RuleTable rules={rules} diagnostics={diagnostics} />}
            {rules.length === 0 && filter !== '' && (
              <p role="status" className="text-soft">
                No rule contains this text.
              </p>
            )}
            {rules.length === 0 && filter === '' && <NoRules />}
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function NoRules() {
  return (
    <p className="text-soft">
      No redirects or headers. Add <Name>_redirects</Name> or <Name>_headers</Name> to the published folder,
      or <Name>redirects</Name> and <Name>headers</Name> to <Name>masthead.json</Name>. Rules of{' '}
      <Name>netlify.toml</Name> and <Name>vercel.json</Name> work as well. Check them with{' '}
      <Name>masthead rules check</Name>, and see{' '}
      <a className="link" href="/docs/site-rules">
        redirects and headers
      </a>
      .
    </p>
  )
}

function Name({ children }: { children: string }) {
  return <code className="font-mono text-small">{children}</code>
}

function RuleTable({
  rules,
  diagnostics,
}: {
  rules: readonly SiteRule[]
  diagnostics: Deployment['diagnostics']
}) {
  return (
    <Table label="Rules" columns={['Path', 'Effect', 'Source']}>
      {rules.map((rule, at) => (
        // Rules have no id, and their order never changes.
        <Row key={at}>
          <Cell of="Path">
            <Name>{rule.from ?? rule.name ?? ''}</Name>
            {ruleConditions(rule).map((words) => (
              <span key={words} className="block text-small text-soft">
                {words}
              </span>
            ))}
          </Cell>
          <Cell of="Effect">
            <Effect rule={rule} />
            {diagnostics
              .filter(({ file, line }) => file === rule.file && line !== null && line === rule.line)
              .map(({ message, level }) => (
                <span
                  key={message}
                  className={`mt-1 block text-small ${level === 'error' ? 'text-stopped' : 'text-waiting'}`}
                >
                  {message}
                </span>
              ))}
          </Cell>
          <Cell of="Source" oneLine>
            <span className="text-small text-soft">{formatLocation(rule)}</span>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function Effect({ rule }: { rule: SiteRule }) {
  const { kind, to, status, set, unset, users } = rule
  if (kind === 'setting') return <Name>{to ?? ''}</Name>
  if (kind === 'protect') {
    return users.length === 0 ? 'asks for a password' : `asks for the password of ${users.join(' or ')}`
  }
  if (kind === 'redirect') {
    return (
      <>
        <span className="tabular-nums">{status}</span> <Name>{to ?? ''}</Name>
      </>
    )
  }
  return (
    <>
      {unset.map((name) => (
        <span key={name} className="block">
          <span className="text-soft">removes</span> <Name>{name}</Name>
        </span>
      ))}
      {set.map(({ name, value }) => (
        <span key={`${name}: ${value}`} className="block">
          <Name>{`${name}: ${value}`}</Name>
        </span>
      ))}
    </>
  )
}
