import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles, scopes } from '@masthead/contract/scopes.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { client, clientOf, isProblem } from '../../api/client.ts'
import { TerminalCommand } from '../../api/terminal-command.tsx'
import { FrontPage, Waiting } from '../../layout/front-page.tsx'
import { usePersonSession } from '../../layout/signed-in.tsx'
import { fragmentValue, paths } from '../../paths.ts'
import { ProblemNotice } from '../../problem-notice.tsx'
import { problemWords } from '../../problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/notices.tsx'
import { Time } from '../../ui/time.tsx'
import { CodeForm } from './code-form.tsx'
import { readLoginCode } from './login-code.ts'

/** Where a person approves or denies a login of the CLI. */
export function ApprovePage() {
  const typed = fragmentValue(useLocation().hash)
  const code = readLoginCode(typed)
  const session = usePersonSession()
  if (code !== null) return <ApproveLogin key={code} code={code} session={session} />
  return (
    <FrontPage title="Approve a CLI login" intro="Enter the code shown in your terminal.">
      <CodeForm rejected={typed} />
    </FrontPage>
  )
}

function ApproveLogin({ code, session }: { code: string; session: Session }) {
  const { person, accounts } = session
  const [chosen, setChosen] = useState(session.account?.id)
  const account = accounts.find(({ id }) => id === chosen) ?? accounts[0]
  const approve = useMutation({
    mutationFn: async () => account && clientOf(account.id).approveLogin({ params: { code } }),
  })
  const refuse = useMutation({ mutationFn: () => client.denyLogin({ params: { code } }) })
  const decided = approve.isSuccess || refuse.isSuccess
  // Poll, so that the page notices when the code is used or expires.
  const login = useQuery({
    queryKey: ['login', code],
    queryFn: () => client.getLogin({ params: { code } }),
    enabled: !decided,
    refetchInterval: ({ state }) => (isCodeUsed(state.error) ? false : 5_000),
  })

  if (approve.isSuccess) return <Approved client={login.data?.client} />
  if (refuse.isSuccess) return <Refused />
  if (isCodeUsed(login.error)) return <NoLongerValid error={login.error} />
  if (login.data === undefined) {
    if (login.error === null) return <Waiting />
    return (
      <FrontPage title="Approve this login?">
        <ProblemNotice error={login.error} />
      </FrontPage>
    )
  }

  const { client: asking, address, createdAt, expiresAt } = login.data
  const failure = approve.error ?? refuse.error
  return (
    <FrontPage
      title="Approve this login?"
      intro="Approve only if you started this login and your terminal shows the same code."
    >
      <p className="rounded-sheet border border-hairline bg-sheet py-5 text-center font-mono text-[32px] leading-10 font-medium tracking-[0.06em] select-all">
        {login.data.code}
      </p>
      <dl className="mt-6 divide-y divide-hairline border-t border-ink">
        <Fact label="Client">{asking}</Fact>
        <Fact label="From">
          <span className="font-mono text-small">{address}</span>, <Time at={createdAt} />
        </Fact>
        <Fact label="Expires">
          <Time at={expiresAt} kind="future" />
        </Fact>
        <Fact label="Acts as">
          <bdi>{person.name}</bdi> in{' '}
          {accounts.length === 1 ? (
            <bdi>{account?.name}</bdi>
          ) : (
            <Select
              label="Account"
              labelHidden
              value={account?.id}
              onChange={({ currentTarget }) => setChosen(currentTarget.value as typeof chosen)}
            >
              {accounts.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Fact>
        <Fact label="Can">
          <ul className="space-y-0.5">
            {(account === undefined ? [] : roles[account.role].scopes).map((scope) => (
              <li key={scope}>{scopes[scope]}</li>
            ))}
          </ul>
        </Fact>
      </dl>
      {failure !== null && (
        <div className="mt-5">
          <ProblemNotice error={failure} />
        </div>
      )}
      <div className="mt-6 grid grid-cols-2 gap-2">
        <Button
          look="primary"
          pending={approve.isPending && 'Approving…'}
          onClick={() => refuse.isPending || approve.mutate()}
        >
          Approve
        </Button>
        <Button pending={refuse.isPending && 'Denying…'} onClick={() => approve.isPending || refuse.mutate()}>
          Deny
        </Button>
      </div>
    </FrontPage>
  )
}

function isCodeUsed(error: unknown): boolean {
  return isProblem(error, 'not_found', 'link_invalid')
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex gap-4 py-2.5">
      <dt className="w-18 shrink-0 text-soft">{label}</dt>
      <dd className="min-w-0 flex-1">{children}</dd>
    </div>
  )
}

function Approved({ client }: { client: string | undefined }) {
  return (
    <FrontPage title="Approved">
      <Notice tone="live" title={`${client ?? 'The command line'} can now act for you.`}>
        Return to your terminal. You can close this page.
      </Notice>
      <ToProjects />
    </FrontPage>
  )
}

function Refused() {
  return (
    <FrontPage title="Denied">
      <Notice tone="waiting" title="The login was denied.">
        The CLI got no access. There is nothing else to do.
      </Notice>
      <ToProjects />
    </FrontPage>
  )
}

function NoLongerValid({ error }: { error: unknown }) {
  return (
    <FrontPage title="This code is not valid">
      <Notice tone="waiting" title={problemWords(error).what}>
        Codes work once and expire after a few minutes. Get a new one in your terminal:
      </Notice>
      <div className="mt-5">
        <TerminalCommand command="login" />
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
