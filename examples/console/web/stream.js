// The live connection. EventSource comes back by itself after a network error,
// with the id of the last event it saw; where it gives up, because the program
// answered with an error, a new one does the same by query parameter.

export function listen(url, { row, gap, opened, lost }) {
  let last = ''
  let wait = 500
  const connect = () => {
    const source = new EventSource(last ? `${url}?lastEventId=${encodeURIComponent(last)}` : url)
    source.onopen = () => {
      wait = 500
      // Without an id nothing can be replayed: whoever listens loads the state.
      opened(last === '')
    }
    source.addEventListener('row', (e) => {
      last = e.lastEventId
      row(JSON.parse(e.data))
    })
    source.addEventListener('gap', (e) => {
      last = e.lastEventId
      gap()
    })
    source.onerror = () => {
      lost()
      if (source.readyState !== EventSource.CLOSED) return
      setTimeout(connect, wait)
      wait = Math.min(2 * wait, 8000)
    }
  }
  connect()
}
