import { useLocation } from 'react-router'
import { usePersonSession } from '../layout/signed-in.tsx'
import { fragmentValue } from '../paths.ts'
import { ApproveLogin } from './cli/approve.tsx'
import { EnterCode } from './cli/enter-code.tsx'
import { readLoginCode } from './cli/login-code.ts'

/** A command line asks to act for somebody, who decides here. */
export function CommandLinePage() {
  const typed = fragmentValue(useLocation().hash)
  const code = readLoginCode(typed)
  const session = usePersonSession()
  if (code === null) return <EnterCode rejected={typed} />
  return <ApproveLogin key={code} code={code} session={session} />
}
