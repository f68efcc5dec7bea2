// Reads through the HTTP door with the defaults of the driver, but for the port.
// Prints for each way the number of quotes, the user, and the code with which an
// insert is refused.
import { createClient } from '@clickhouse/client'

const [http] = process.argv.slice(2)

async function show(name, options) {
  const client = createClient({ url: `http://${http}`, ...options })
  if (!(await client.ping()).success) throw new Error('no answer to a ping')
  const result = await client.query({ query: 'SELECT count() AS n, currentUser() AS user FROM quote', format: 'JSONEachRow' })
  const [row] = await result.json()
  let code = 'none'
  try {
    await client.insert({ table: 'quote', values: [{ day: '2025-01-01', value: 1 }], format: 'JSONEachRow' })
  } catch (error) {
    code = error.code
  }
  let rows = 0
  const stream = await client.query({ query: 'SELECT number FROM numbers(100000)', format: 'JSONEachRow' })
  for await (const some of stream.stream()) rows += some.length
  if (rows !== 100000) throw new Error(`${rows} rows in the stream`)
  const bound = await client.query({ query: 'SELECT {n: Int32} AS n', query_params: { n: 7 }, format: 'JSONEachRow' })
  if ((await bound.json())[0].n !== 7) throw new Error('a parameter is lost')
  await client.close()
  console.log(`${name}: ${row.n} ${row.user} ${code}`)
}

await show('plain', {})
await show('in a session', { session_id: 'of the test' })
await show('compressed', { compression: { response: true, request: true } })
