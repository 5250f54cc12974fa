import { cpus } from 'node:os'

/** Taken away at a time, in hundredths of a core. */
const step = 25
/** Shares of the machine's time: more than this is worth using, less than this slows down what already runs. */
const [plenty, scarce] = [0.12, 0.04]

/** What may run in addition, next, given how much of the machine did nothing. All of them in hundredths of a core. */
export function nextExtra(extra: number, idleShare: number, cores: number): number {
  if (idleShare > plenty) return Math.min(extra + idleShare * cores * 100, cores * 150)
  return idleShare < scarce ? Math.max(0, extra - step) : extra
}

/** Most tests wait now and then, so more of them fit on the cores than their loads add up to. */
export class SpareCores {
  readonly #cores: number
  #before = machineTimes()
  extra = 0

  constructor(cores: number) {
    this.#cores = cores
  }

  /** Call this every few seconds. */
  update(): void {
    const now = machineTimes()
    const all = now.all - this.#before.all
    if (all > 0) this.extra = nextExtra(this.extra, (now.idle - this.#before.idle) / all, this.#cores)
    this.#before = now
  }
}

function machineTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.flatMap((each) => Object.values(each))),
  }
}
