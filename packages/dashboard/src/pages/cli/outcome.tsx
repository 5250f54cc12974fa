import { Link } from 'react-router'
import { FrontPage } from '../../layout/front-page.tsx'
import { paths } from '../../paths.ts'
import { problemWords } from '../../problem-words.ts'
import { terminalCommand } from '../../terminal-command.ts'
import { Command } from '../../ui/command.tsx'
import { Notice } from '../../ui/notice.tsx'

export function Approved({ client }: { client: string | undefined }) {
  return (
    <FrontPage title="Approved">
      <Notice tone="live" title={`${client ?? 'The command line'} may act for you now.`}>
        Go back to the terminal; it goes on by itself. You can close this page.
      </Notice>
      <ToProjects />
    </FrontPage>
  )
}

export function Refused() {
  return (
    <FrontPage title="Refused">
      <Notice tone="waiting" title="Nothing was given away.">
        Whoever asked is told so. There is nothing else to do.
      </Notice>
      <ToProjects />
    </FrontPage>
  )
}

export function NoLongerValid({ error }: { error: unknown }) {
  return (
    <FrontPage title="This code does not work">
      <Notice tone="waiting" title={problemWords(error).what}>
        Codes work once and for a few minutes. Start again in the terminal for a new one:
      </Notice>
      <div className="mt-5">
        <Command line={terminalCommand('login', location.origin)} />
      </div>
      <ToProjects />
    </FrontPage>
  )
}

function ToProjects() {
  return (
    <p className="mt-6">
      <Link to={paths.home()} className="link">
        Your projects
      </Link>
    </p>
  )
}
