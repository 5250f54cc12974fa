import { useLocation, useNavigate } from 'react-router'
import { Form } from '../form/form.tsx'
import { FrontPage } from '../layout/front-page.tsx'
import { usePersonSession } from '../layout/signed-in.tsx'
import { fragmentValue, paths } from '../paths.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notices.tsx'
import { ApproveLogin } from './cli/approve.tsx'
import { readLoginCode } from './cli/login-code.ts'

/** Where a person approves or denies a login of the CLI. */
export function CommandLinePage() {
  const typed = fragmentValue(useLocation().hash)
  const code = readLoginCode(typed)
  const session = usePersonSession()
  if (code === null) return <EnterCode rejected={typed} />
  return <ApproveLogin key={code} code={code} session={session} />
}

/** For a link without a valid code. */
function EnterCode({ rejected }: { rejected: string }) {
  const navigate = useNavigate()
  return (
    <FrontPage title="Approve a CLI login" intro="Enter the code shown in your terminal.">
      <Form
        wide
        submit="Continue"
        submitting="Continuing…"
        onSubmit={async ({ code = '' }) => navigate(paths.commandLine(code.trim()))}
      >
        <Field
          name="code"
          label="Code"
          placeholder="BCDF-GHJK"
          defaultValue={rejected}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
          autoFocus
        />
        {rejected !== '' && (
          <Notice tone="waiting" title="This is not a valid code.">
            A code has eight letters, such as BCDF-GHJK.
          </Notice>
        )}
      </Form>
    </FrontPage>
  )
}
