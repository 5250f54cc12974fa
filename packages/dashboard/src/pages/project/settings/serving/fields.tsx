import { Checkbox } from '../../../../ui/checkbox.tsx'
import { Section } from '../../../../ui/section.tsx'
import { HtmlPaths } from './html-paths.tsx'
import type { Serving } from './serving-of.ts'
import { StrictTransport } from './strict-transport.tsx'

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
