import type { Project } from '@masthead/contract/schemas/project.ts'
import { paths } from '../../paths.ts'
import { type MemberSession, signOut } from '../../session.ts'
import { may } from '../signed-in.tsx'
import type { FindEntry } from './entry.ts'

interface ActionsInput {
  session: MemberSession
  /** Whether this server is its own certificate authority. */
  ownRoot: boolean
}

/** What can be done from anywhere, by whoever looks. */
export function accountActions({ session, ownRoot }: ActionsInput): FindEntry[] {
  const leading = (title: string, to: string): FindEntry => ({
    id: `action ${title}`,
    kind: 'action',
    title,
    choose: { go: to },
  })
  const others = session.accounts.filter(({ id }) => id !== session.account.id)
  return [
    ...(may(session, 'deploy') ? [leading('New project', paths.newProject(session.account.id))] : []),
    ...(may(session, 'admin') ? [leading('Create a key', paths.newKey(session.account.id))] : []),
    ...(may(session, 'admin')
      ? [
          leading('Invite somebody', paths.invite(session.account.id)),
          leading('Change the plan', paths.plan(session.account.id)),
        ]
      : []),
    ...others.map(
      ({ id, name }): FindEntry => ({
        id: `switch ${id}`,
        kind: 'action',
        title: `Switch to ${name}`,
        detail: 'Account',
        choose: { go: paths.projects(id) },
      }),
    ),
    ...(ownRoot ? [rootCertificate] : []),
    {
      id: 'sign-out',
      kind: 'action',
      title: 'Sign out',
      choose: { run: () => signOut(), running: 'Signing out…' },
    },
  ]
}

const rootCertificate: FindEntry = {
  id: 'root-certificate',
  kind: 'action',
  title: 'Download the root certificate',
  choose: { open: '/v1/ca.pem', download: 'masthead-root.pem' },
}

export function addDomainTo({ id, slug, name }: Project): FindEntry {
  return {
    id: `add-domain ${id}`,
    kind: 'action',
    title: `Add a domain to ${name}`,
    choose: { go: paths.domains(slug) },
  }
}
