import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from 'react-router'
import { client } from '../api/client.ts'
import { startSession } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import { EmailField, NewPasswordField } from '../form/person-fields.tsx'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { fragmentValue, paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Notice } from '../ui/notices.tsx'

export function ResetPasswordPage() {
  const token = fragmentValue(useLocation().hash)
  const navigate = useNavigate()
  const reset = useQuery({
    queryKey: ['password-reset', token],
    queryFn: () => client.lookUpPasswordReset({ body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (token === '') {
    return (
      <FrontPage title="Set a new password">
        <Notice tone="waiting" title="This link is incomplete.">
          Copy the whole link you were sent, including everything after the{' '}
          <code className="font-mono text-small">#</code>.
        </Notice>
      </FrontPage>
    )
  }
  if (reset.error !== null) {
    return (
      <FrontPage title="Set a new password">
        <ProblemNotice error={reset.error} />
      </FrontPage>
    )
  }
  if (reset.data === undefined) return <Waiting />
  return (
    <FrontPage
      title="Set a new password"
      intro={
        <>
          For <bdi>{reset.data.name}</bdi>. Setting it signs you out everywhere else.
        </>
      }
    >
      <Form
        wide
        submit="Set password and sign in"
        submitting="Setting…"
        onSubmit={async ({ password = '' }) => {
          startSession(await client.resetPassword({ body: { token, password } }))
          navigate(paths.home(), { replace: true })
        }}
      >
        <EmailField value={reset.data.email} />
        <NewPasswordField />
      </Form>
    </FrontPage>
  )
}
