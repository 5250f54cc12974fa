import { AccountKeyError } from '../certificates/acme-account/change-account-key.ts'
import { type Replacement, replaceRefusedAccount } from '../certificates/acme-account/replace-account.ts'
import { openAcme, openSealingKeys } from '../start/open-certificates.ts'
import { withStorage } from './installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from './operator-command.ts'
import { exitCodes } from './run-command.ts'

const usage = `Registers a new account at the certificate authority in place of one that it refuses, because it was deactivated
for example. Accounts that are valid stay. The server may keep running.

  npx masthead-server replace-ca-account

Run it in the server's folder with the server's settings (MASTHEAD_DATA, DATABASE_URL, MASTHEAD_MASTER_KEY,
and the MASTHEAD_CA settings). You can interrupt it and run it again at any time.
`

const outcomes: Readonly<Record<Replacement, (title: string) => string>> = {
  replaced: (title) => `There is a new account at ${title}. Certificates that it refused are ordered again.`,
  valid: (title) => `${title} does not refuse the account of this server, so it stays.`,
  none: (title) => `There is no account at ${title} yet. It is created with the first certificate.`,
}

/** Asks every CA, also after one that is down: another one may be the one that refuses us. */
async function replace({ settings, print }: OperatorIo): Promise<void> {
  const config = settings()
  await withStorage(config, async (storage) => {
    const acme = await openAcme(config, storage.now)
    if (acme.length === 0)
      throw new AccountKeyError('The internal CA has no account, so there is none to replace.')
    const context = { ...storage, sealing: await openSealingKeys(storage, config) }
    const failures: string[] = []
    for (const { client, authority, ca } of acme) {
      const { title, directoryUrl } = authority
      const registration = {
        ...(ca.contact !== null && { contact: ca.contact }),
        ...(ca.externalAccount !== null && { externalAccount: ca.externalAccount }),
      }
      try {
        print(outcomes[await replaceRefusedAccount(context, client, directoryUrl, registration)](title))
      } catch (error) {
        if (!(error instanceof AccountKeyError)) throw error
        failures.push(`${title}: ${error.message} Run this again once that is settled.`)
      }
    }
    if (failures.length > 0) throw new AccountKeyError(failures.join('\n'))
  })
}

export const replaceCaAccountCommand: OperatorCommand = {
  name: 'replace-ca-account',
  usage,
  async run(args, io) {
    readArguments(args)
    await replace(io)
    return exitCodes.done
  },
}
