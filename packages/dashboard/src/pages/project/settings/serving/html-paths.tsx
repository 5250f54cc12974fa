import { type HtmlHandling, htmlHandlingNames, htmlHandlings } from '@masthead/contract/html-handling.ts'
import { Choices } from '../../../../ui/choices.tsx'

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

export function HtmlPaths({ value, disabled, onChoose }: HtmlPathsProps) {
  return (
    <Choices
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
