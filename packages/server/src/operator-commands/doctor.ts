import { ConfigError } from '../config/config.ts'
import { configWarnings } from '../config/config-warnings.ts'
import { problem, summarize } from '../doctor/check.ts'
import { drawReport, exitCode } from '../doctor/screen.ts'
import { examineInstallation } from '../start/open-doctor.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from './operator-command.ts'

const usage = `Checks what breaks installations, and says how to fix it. The server may run or be stopped.

  npx masthead-server doctor [--strict] [--json]

Run it in the server's folder with the server's settings, as the user that runs the server. It changes nothing.

  --strict  exit with 1 for warnings too
  --json    print the report for programs

It exits with 0 if there are no problems, and with 1 otherwise.
`

export const doctorCommand: OperatorCommand = {
  name: 'doctor',
  usage,
  async run(args, io) {
    const { values } = readArguments(args, { strict: { type: 'boolean' }, json: { type: 'boolean' } })
    const report = await examineOrExplain(io)
    io.print(values.json === true ? JSON.stringify(report, null, 2) : drawReport(report, io.screen))
    return exitCode(report, values.strict === true)
  },
}

async function examineOrExplain({ settings }: OperatorIo) {
  try {
    const config = settings()
    return await examineInstallation(config, configWarnings(config))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // With settings that the server would refuse, nothing else can be checked.
    const checks = [summarize({ id: 'settings', title: 'Settings' }, error.faults.map(toFinding))]
    return { checkedAt: new Date().toISOString(), checks }
  }
}

function toFinding(fault: string) {
  const [, message = fault, fix = 'Correct the setting.'] =
    /^(.*?(?:is not allowed|need each other)\.) (.+)$/.exec(fault) ?? []
  return problem(message, fix)
}
