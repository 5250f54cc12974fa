import type { ReactNode } from 'react'
import { useServer } from '../../api/session.ts'
import { TerminalCommand } from '../../api/terminal-command.tsx'
import { GuideLink } from '../../guide-link.tsx'
import { FrontPage, Waiting } from '../../layout/front-page.tsx'
import { ProblemNotice } from '../../problem-notice.tsx'
import { Command, Copyable } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { CodeForm } from './code-form.tsx'

/** How to get the command line of this server, for everybody who has its address. */
export function CommandLinePage() {
  const { data: server, error, isPending } = useServer()
  if (isPending) return <Waiting />
  return (
    <FrontPage
      wide
      title="Command line"
      intro={
        <>
          Publish from any terminal with Node.js 20 or newer, on Linux, macOS or Windows.
          <GuideLink to="commandLine" />
        </>
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      {server && <Commands commandLine={server.commandLine} internalCa={server.internalCa} />}
      <Section
        title="Approve a login"
        intro="Your terminal shows a code and opens a page to approve it. No page? Enter the code here."
      >
        <div className="max-w-[384px]">
          <CodeForm />
        </div>
      </Section>
    </FrontPage>
  )
}

interface CommandsProps {
  commandLine: { url: string; sha256: string; version: string } | null
  internalCa: boolean
}

function Commands({ commandLine, internalCa }: CommandsProps) {
  if (commandLine === null) {
    return (
      <Notice tone="waiting" title="This server offers no package.">
        Its operator can build one with <code className="font-mono text-small">npm run build</code>. In a
        checkout of Masthead, <code className="font-mono text-small">npx masthead</code> works without.
      </Notice>
    )
  }
  const { url, sha256, version } = commandLine
  return (
    <>
      {internalCa && url.startsWith('https:') && <TrustFirst />}
      <Section
        title="Publish a folder"
        intro="The first time, npx asks whether to run the package, and you approve the login in the browser."
      >
        <div className="flex flex-col gap-2">
          <TerminalCommand command="login" />
          <TerminalCommand command="deploy ./some-folder" />
        </div>
      </Section>
      <Section
        title="Install it"
        intro="Then the command is masthead, in every folder. masthead --help lists what it can do."
      >
        <div className="flex flex-col gap-2">
          <Command line={`npm install --global ${url}`} />
          <Command line={`masthead login ${location.origin}`} />
          <Command line="masthead deploy ./some-folder" />
        </div>
      </Section>
      <Section
        title="The package"
        intro={`Version ${version}, one file without dependencies. After an update of this server, its address changes.`}
      >
        <dl className="divide-y divide-hairline border-t border-ink">
          <Fact label="Address">
            <Copyable text={url} what="the address" />
          </Fact>
          <Fact label="SHA-256">
            <Copyable text={sha256} what="the SHA-256" />
          </Fact>
        </dl>
      </Section>
    </>
  )
}

/** npm refuses certificates of a CA that it does not know. */
function TrustFirst() {
  const file = 'masthead-root.pem'
  return (
    <Section
      title="Trust this server first"
      intro="It signs its own certificates. npm and the command line accept them once they know its root. Download it on a network that you trust."
    >
      <div className="flex flex-col gap-2">
        <Command line={`curl --insecure --output ${file} ${location.origin}/v1/ca.pem`} />
        <Command line={`export NODE_EXTRA_CA_CERTS="$PWD/${file}"`} />
      </div>
      <p className="mt-3 text-small text-soft">
        In PowerShell, the second is{' '}
        <code className="font-mono">{`$env:NODE_EXTRA_CA_CERTS = "$PWD\\${file}"`}</code>.
      </p>
    </Section>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex gap-4 py-2.5">
      <dt className="w-18 shrink-0 text-soft">{label}</dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  )
}
