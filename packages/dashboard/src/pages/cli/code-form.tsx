import { useNavigate } from 'react-router'
import { Form } from '../../form/form.tsx'
import { paths } from '../../paths.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notices.tsx'

/** For a code that was not opened as a link. */
export function CodeForm({ rejected = '' }: { rejected?: string }) {
  const navigate = useNavigate()
  return (
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
        autoFocus={rejected !== ''}
      />
      {rejected !== '' && (
        <Notice tone="waiting" title="This is not a valid code.">
          A code has eight letters, such as BCDF-GHJK.
        </Notice>
      )}
    </Form>
  )
}
