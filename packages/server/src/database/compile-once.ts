import type { Compilable, CompiledQuery } from 'kysely'
import type { Database, Reader } from './database.ts'
import type { Dialect } from './schema.ts'

type Input = Record<string, unknown>

/** Stands for a value while a query is built. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Builds and compiles a query once per database dialect, because that costs more than running it. `build` gets
 * placeholders, so it may only pass its input on to the query and never look at it.
 */
export function compileOnce<In extends Input, Row>(
  build: (db: Reader, input: In) => Compilable<Row>,
): (database: Pick<Database, 'dialect' | 'read'>, input: In) => Promise<Row[]> {
  const compiled = new Map<Dialect, CompiledQuery<Row>>()
  const placeholders = new Proxy({} as In, { get: (_, name) => new Placeholder(String(name)) })
  return async ({ dialect, read }, input) => {
    const known = compiled.get(dialect)
    const query = known ?? build(read, placeholders).compile()
    if (known === undefined) compiled.set(dialect, query)
    return (await read.executeQuery<Row>({ ...query, parameters: fill(query.parameters, input) })).rows
  }
}

const longestList = 100

/** The same for a query with one list of values, compiled once for each length. An empty list finds nothing. */
export function compileOncePerLength<Value, Row>(
  build: (db: Reader, values: readonly Value[]) => Compilable<Row>,
): (database: Pick<Database, 'dialect' | 'read'>, values: readonly Value[]) => Promise<Row[]> {
  const byLength = new Map<number, ReturnType<typeof compileOnce<Input, Row>>>()
  return async (database, values) => {
    const { length } = values
    if (length === 0) return []
    if (length > longestList)
      return (await database.read.executeQuery(build(database.read, values).compile())).rows
    const known = byLength.get(length)
    const run =
      known ??
      compileOnce((db, input) =>
        build(
          db,
          values.map((_, at) => input[at] as Value),
        ),
      )
    if (known === undefined) byLength.set(length, run)
    return run(database, values as unknown as Input)
  }
}

function fill(parameters: readonly unknown[], input: Input): unknown[] {
  return parameters.map((one) => (one instanceof Placeholder ? input[one.name] : one))
}
