import {
  type HtmlHandling,
  htmlHandlingNames,
  htmlHandlings,
  staleTimes,
} from '@masthead/contract/project-settings.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Checkbox, RadioGroup } from '../../../ui/choices.tsx'
import { Select } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notices.tsx'
import { Section } from '../../../ui/page.tsx'

interface ServingFieldsProps {
  stored: Serving
  values: Serving
  /** Absent if the person may not change settings. */
  onChange?: (change: Partial<Serving>) => void
}

export function ServingFields({ stored, values, onChange }: ServingFieldsProps) {
  const disabled = onChange === undefined
  return (
    <div>
      <Section title="HTML paths" intro="What page addresses look like to visitors.">
        <HtmlPaths
          value={values.htmlHandling}
          disabled={disabled}
          onChoose={(htmlHandling) => onChange?.({ htmlHandling })}
        />
      </Section>
      <Section title="Missing files">
        <Checkbox
          name="singlePage"
          label="Serve index.html for paths without a file"
          hint="For single-page apps. Otherwise visitors get the nearest 404.html."
          checked={values.singlePage}
          disabled={disabled}
          onChange={({ target }) => onChange?.({ singlePage: target.checked })}
        />
      </Section>
      <Section title="Caching">
        <Checkbox
          name="immutableAssets"
          label="Cache fingerprinted files for a year"
          hint="Files with a hash in their name, such as main.8f2a1c3d.js. Browsers check all others every time."
          checked={values.immutableAssets}
          disabled={disabled}
          onChange={({ target }) => onChange?.({ immutableAssets: target.checked })}
        />
        <StaleTime
          value={values.staleWhileRevalidate}
          disabled={disabled}
          onChange={(staleWhileRevalidate) => onChange?.({ staleWhileRevalidate })}
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

type Serving = Pick<
  Project,
  'htmlHandling' | 'singlePage' | 'strictTransportSecurity' | 'immutableAssets' | 'staleWhileRevalidate'
>

export function servingOf(project: Serving): Serving {
  const { htmlHandling, singlePage, strictTransportSecurity, immutableAssets, staleWhileRevalidate } = project
  return { htmlHandling, singlePage, strictTransportSecurity, immutableAssets, staleWhileRevalidate }
}

interface StaleTimeProps {
  value: number
  disabled: boolean
  onChange: (seconds: number) => void
}

function StaleTime({ value, disabled, onChange }: StaleTimeProps) {
  const known = Object.entries(staleTimes)
  // The API accepts any number of seconds.
  const choices = Object.hasOwn(staleTimes, value) ? known : [...known, [value, `${value} seconds`] as const]
  return (
    <div className="mt-5 max-w-sm">
      <Select
        name="staleWhileRevalidate"
        label="Show the previous version while checking for a new one"
        hint="For all other files. Pages appear at once, but after a deployment the first visit may show the old ones."
        value={value}
        disabled={disabled}
        onChange={({ target }) => onChange(Number(target.value))}
      >
        {choices.map(([seconds, label]) => (
          <option key={seconds} value={seconds}>
            {seconds === '0' ? label : `For ${label}`}
          </option>
        ))}
      </Select>
    </div>
  )
}

interface Example {
  about: string
  docs: string
  rest: string
}

const redirects = 'Other forms redirect there.'

/** The URLs of about.html and docs/index.html. */
const examples: Record<HtmlHandling, Example> = {
  auto: { about: '/about', docs: '/docs/', rest: redirects },
  'drop-trailing-slash': { about: '/about', docs: '/docs', rest: redirects },
  'force-trailing-slash': { about: '/about/', docs: '/docs/', rest: redirects },
  none: { about: '/about.html', docs: '/docs/', rest: 'Other forms are not found.' },
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
      legend="HTML paths"
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

/** Browsers remember HSTS for a year, so warn before saving. */
function StrictTransport({ stored, value, disabled, onChange }: StrictTransportProps) {
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        name="strictTransportSecurity"
        label="Require HTTPS (HSTS)"
        hint="Sends Strict-Transport-Security for one year, on every domain of this project."
        checked={value}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {value && !stored && (
        <Notice tone="waiting" title="Browsers remember this for a year.">
          Earlier visitors cannot reach the site without a valid certificate for a year, even if you turn this
          off. Turn it on only when all domains of this project are live.
        </Notice>
      )}
      {!value && stored && (
        <Notice tone="waiting" title="Earlier visitors are still affected.">
          Their browsers keep requiring HTTPS until a year after their last visit.
        </Notice>
      )}
    </div>
  )
}
