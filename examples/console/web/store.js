// What the page knows. Each event carries a whole row and the number of the
// change (rev) in the session, so that an event may be older or newer than a
// snapshot, and a missing or repeated one is seen.

const most = 500 // rows, as many as the program keeps

export class Store {
  rows = new Map() // by id, in the order in which they were sent
  events = 0
  lost = 0
  doubled = 0
  #expected = null // the number that must come next; null: any
  #fresh = null // rows of a snapshot that is being loaded
  #loads = 0

  // take puts in the row of an event. It returns the id of a row that had to
  // make room, if there is one.
  take(row) {
    this.events++
    if (this.#expected !== null) {
      if (row.rev < this.#expected) this.doubled++
      else this.lost += row.rev - this.#expected
    }
    this.#expected = Math.max(row.rev + 1, this.#expected ?? 0)
    put(this.rows, row)
    if (this.#fresh) put(this.#fresh, row)
    if (this.rows.size <= most) return undefined
    const [oldest] = this.rows.keys()
    this.rows.delete(oldest)
    return oldest
  }

  // load replaces all rows by a snapshot. Events that arrive meanwhile count.
  // It reports false when a later load has overtaken it.
  async load(fetchRows, afterGap) {
    const load = ++this.#loads
    this.#fresh = new Map()
    if (afterGap) this.#expected = null
    const rows = await fetchRows()
    if (load !== this.#loads) return false
    this.rows = new Map(rows.map((row) => [row.id, row]))
    for (const row of this.#fresh.values()) put(this.rows, row)
    this.#fresh = null
    return true
  }

  // newestFirst returns the rows as they are listed.
  newestFirst() {
    return [...this.rows.values()].reverse()
  }

  counts() {
    const counts = { all: this.rows.size, pending: 0 }
    for (const row of this.rows.values()) {
      const outcome = row.outcome ?? 'pending'
      counts[outcome] = (counts[outcome] ?? 0) + 1
      const delivery = `delivery_${row.delivery}`
      counts[delivery] = (counts[delivery] ?? 0) + 1
    }
    return counts
  }
}

function put(rows, row) {
  const known = rows.get(row.id)
  if (!known || known.rev < row.rev) rows.set(row.id, row)
}
