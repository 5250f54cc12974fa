import { type HtmlHandling, htmlHandlingNames, htmlHandlings } from '@masthead/contract/project-settings.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Checkbox, RadioGroup } from '../../../ui/choices.tsx'
import { Notice } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/page.tsx'

interface ServingFieldsProps {
  stored: Serving
  values: Serving
  /** Absent for somebody who may only look. */
  onChange?: (change: Partial<Serving>) => void
}

export function ServingFields({ stored, values, onChange }: ServingFieldsProps) {
  const disabled = onChange === undefined
  return (
    <div>
      <Section title="Paths of HTML files" lede="How the addresses of pages look to visitors.">
        <HtmlPaths
          value={values.htmlHandling}
          disabled={disabled}
          onChoose={(htmlHandling) => onChange?.({ htmlHandling })}
        />
      </Section>
      <Section title="Paths without a file">
        <Checkbox
          name="singlePage"
          label="Show index.html for every path that has no file"
          hint="For apps that look at the address themselves. Otherwise visitors get the nearest 404.html, with status 404."
          checked={values.singlePage}
          disabled={disabled}
          onChange={({ target }) => onChange?.({ singlePage: target.checked })}
        />
      </Section>
      <Section title="HTTPS">
        <StrictTransport
          stored={stored.strictTransportSecurity}
          value={values.strictTransportSecurity}
          disabled={disabled}
          onChange={(strictTransportSecurity) => onChange?.({ strictTransportSecurity })}
        />
      </Section>
    </div>
  )
}

type Serving = Pick<Project, 'htmlHandling' | 'singlePage' | 'strictTransportSecurity'>

/** The settings that say how a project is served. */
export function servingOf({ htmlHandling, singlePage, strictTransportSecurity }: Serving): Serving {
  return { htmlHandling, singlePage, strictTransportSecurity }
}

interface Example {
  about: string
  docs: string
  rest: string
}

const leads = 'Other ways to write them lead there.'

/** Where visitors find about.html and docs/index.html. */
const examples: Record<HtmlHandling, Example> = {
  auto: { about: '/about', docs: '/docs/', rest: leads },
  'drop-trailing-slash': { about: '/about', docs: '/docs', rest: leads },
  'force-trailing-slash': { about: '/about/', docs: '/docs/', rest: leads },
  none: { about: '/about.html', docs: '/docs/', rest: 'Nothing else leads to them.' },
}

interface HtmlPathsProps {
  value: HtmlHandling
  disabled: boolean
  onChoose: (value: HtmlHandling) => void
}

function HtmlPaths({ value, disabled, onChoose }: HtmlPathsProps) {
  return (
    <RadioGroup
      name="htmlHandling"
      legend="Paths of HTML files"
      value={value}
      disabled={disabled}
      onChoose={onChoose}
      choices={htmlHandlingNames.map((name) => ({
        value: name,
        label: htmlHandlings[name],
        hint: <ExampleWords {...examples[name]} />,
      }))}
    />
  )
}

function ExampleWords({ about, docs, rest }: Example) {
  return (
    <>
      <Path>about.html</Path> is at <Path>{about}</Path>, <Path>docs/index.html</Path> at <Path>{docs}</Path>.{' '}
      {rest}
    </>
  )
}

function Path({ children }: { children: string }) {
  return <code className="font-mono text-ink">{children}</code>
}

interface StrictTransportProps {
  stored: boolean
  value: boolean
  disabled: boolean
  onChange: (value: boolean) => void
}

/** Browsers remember it for a year, so that it is told before it is saved what cannot be taken back. */
function StrictTransport({ stored, value, disabled, onChange }: StrictTransportProps) {
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        name="strictTransportSecurity"
        label="Tell browsers to come by HTTPS alone"
        hint="The header Strict-Transport-Security, for a year from each visit, on every domain of this project."
        checked={value}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {value && !stored && (
        <Notice tone="waiting" title="This cannot be taken back.">
          Whoever has visited once is not let in without a valid certificate for a year, even if you turn this
          off. Turn it on when all domains of this project are live.
        </Notice>
      )}
      {!value && stored && (
        <Notice tone="waiting" title="Earlier visitors keep to it.">
          Browsers that were told go on coming by HTTPS alone until a year after their last visit.
        </Notice>
      )}
    </div>
  )
}
